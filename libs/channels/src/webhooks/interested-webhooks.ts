import type { App, AppWebhook } from '../access/app.js';
import { type WebhookEventName, webhookEventNames } from '../access/webhook-event-name.js';

const none: readonly AppWebhook[] = [];
const known = new WeakMap<App, ReadonlyMap<WebhookEventName, readonly AppWebhook[]>>();

/** The webhooks of the app that want this event; found once for each app. */
export function interestedWebhooks(app: App, event: WebhookEventName): readonly AppWebhook[] {
  if (app.webhooks.length === 0) return none;
  let selection = known.get(app);
  if (!selection) known.set(app, (selection = select(app)));
  return selection.get(event) ?? none;
}

/** Whether an event has to be looked at: some are only looked at because they take back their opposite. */
export function isOfInterest(app: App, event: WebhookEventName): boolean {
  if (app.webhooks.length === 0) return false;
  if (interestedWebhooks(app, event).length > 0) return true;
  const opposite = opposites[event];
  return opposite !== undefined && interestedWebhooks(app, opposite).length > 0;
}

const opposites: Partial<Record<WebhookEventName, WebhookEventName>> = {
  channel_occupied: 'channel_vacated',
  channel_vacated: 'channel_occupied',
  member_added: 'member_removed',
  member_removed: 'member_added',
};

function select({ webhooks }: App): ReadonlyMap<WebhookEventName, readonly AppWebhook[]> {
  return new Map(webhookEventNames.map((name) => [name, webhooks.filter((webhook) => wants(webhook, name))]));
}

function wants({ events = [] }: AppWebhook, name: WebhookEventName): boolean {
  return events.length === 0 || events.includes(name);
}
