import type { Listeners } from '#webhooks';
import type { App, AppWebhook } from '../app/app.js';
import { type WebhookEventName, webhookEventNames } from '../app/webhook-event-name.js';
import { isEncryptedChannel } from '../protocol/channel-name.js';
import { type Activity, type ActivitySubject, subjectOf } from './channel-events.js';

/** The receivers of an event. */
export interface ActivityRecipients {
  readonly webhooks: readonly AppWebhook[];
  /** The URLs of the host's listeners. */
  readonly listeners: readonly string[];
}

const none: readonly AppWebhook[] = [];
const known = new WeakMap<App, ReadonlyMap<string, readonly AppWebhook[]>>();

/** The app's webhooks and the listeners that want this event; `undefined` when none does. */
export function recipientsOf(
  app: App,
  name: Activity['name'],
  subject: ActivitySubject,
  hosts: Pick<Listeners, 'urls'>,
): ActivityRecipients | undefined {
  const webhooks = webhooksFor(app, name).filter((webhook) => letsThrough(webhook, subject.channel));
  const listeners = hosts.urls(name, subjectOf(name, subject));
  return webhooks.length === 0 && listeners.length === 0 ? undefined : { webhooks, listeners };
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

function letsThrough({ filter }: AppWebhook, channel = ''): boolean {
  if (!filter) return true;
  const { channelNameStartsWith: start = '', channelNameEndsWith: end = '', encryptedChannels = true } = filter;
  return channel.startsWith(start) && channel.endsWith(end) && (encryptedChannels || !isEncryptedChannel(channel));
}
