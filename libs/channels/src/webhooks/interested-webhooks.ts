import type { App, AppWebhook } from '../app/app.js';
import { type WebhookEventName, webhookEventNames } from '../app/webhook-event-name.js';
import { isEncryptedChannel } from '../protocol/channel-name.js';
import type { ActivitySubject, Activity } from './channel-events.js';

const none: readonly AppWebhook[] = [];
const known = new WeakMap<App, ReadonlyMap<string, readonly AppWebhook[]>>();

/** The webhooks of the app that want this event. */
export function interestedWebhooks(
  app: App,
  name: Activity['name'],
  { channel = '' }: ActivitySubject,
): readonly AppWebhook[] {
  const byName = webhooksFor(app, name);
  return byName.every(({ filter }) => !filter) ? byName : byName.filter((webhook) => letsThrough(webhook, channel));
}

/** Computed once for each app. */
function webhooksFor(app: App, name: Activity['name']): readonly AppWebhook[] {
  if (app.webhooks.length === 0) return none;
  let selection = known.get(app);
  if (!selection) known.set(app, (selection = select(app)));
  return selection.get(name) ?? none;
}

function select({ webhooks }: App): ReadonlyMap<string, readonly AppWebhook[]> {
  return new Map(webhookEventNames.map((name) => [name, webhooks.filter((webhook) => wants(webhook, name))]));
}

function wants({ events = [] }: AppWebhook, name: WebhookEventName): boolean {
  return events.length === 0 || events.includes(name);
}

function letsThrough({ filter }: AppWebhook, channel: string): boolean {
  const { channelNameStartsWith: start = '', channelNameEndsWith: end = '', encryptedChannels = true } = filter ?? {};
  return channel.startsWith(start) && channel.endsWith(end) && (encryptedChannels || !isEncryptedChannel(channel));
}
