import type { App, AppWebhook } from '../access/app.js';
import { type WebhookEventName, webhookEventNames } from '../access/webhook-event-name.js';

/** What is looked at of an event: its name, and the channel on which it happened. */
interface Happened {
  readonly name: WebhookEventName;
  readonly channel: string;
}

const none: readonly AppWebhook[] = [];
const known = new WeakMap<App, ReadonlyMap<WebhookEventName, readonly AppWebhook[]>>();

/** The webhooks of the app that want this event. */
export function interestedWebhooks(app: App, { name, channel }: Happened): readonly AppWebhook[] {
  const byName = webhooksFor(app, name);
  return byName.every(({ filter }) => !filter) ? byName : byName.filter((webhook) => letsThrough(webhook, channel));
}

/** Whether an event has to be looked at: some are only looked at because they take back their opposite. */
export function isOfInterest(app: App, event: Happened): boolean {
  if (app.webhooks.length === 0) return false;
  if (interestedWebhooks(app, event).length > 0) return true;
  const opposite = opposites[event.name];
  return opposite !== undefined && interestedWebhooks(app, { ...event, name: opposite }).length > 0;
}

const opposites: Partial<Record<WebhookEventName, WebhookEventName>> = {
  channel_occupied: 'channel_vacated',
  channel_vacated: 'channel_occupied',
  member_added: 'member_removed',
  member_removed: 'member_added',
};

/** Found once for each app. */
function webhooksFor(app: App, name: WebhookEventName): readonly AppWebhook[] {
  if (app.webhooks.length === 0) return none;
  let selection = known.get(app);
  if (!selection) known.set(app, (selection = select(app)));
  return selection.get(name) ?? none;
}

function select({ webhooks }: App): ReadonlyMap<WebhookEventName, readonly AppWebhook[]> {
  return new Map(webhookEventNames.map((name) => [name, webhooks.filter((webhook) => wants(webhook, name))]));
}

function wants({ events = [] }: AppWebhook, name: WebhookEventName): boolean {
  return events.length === 0 || events.includes(name);
}

function letsThrough({ filter }: AppWebhook, channel: string): boolean {
  const { channelNameStartsWith: start = '', channelNameEndsWith: end = '' } = filter ?? {};
  return channel.startsWith(start) && channel.endsWith(end);
}
