import type { Kind } from './kinds.js';

/** An endpoint, with any further fields that the server returned. */
export interface Webhook {
  readonly url: string;
  readonly events?: readonly string[];
  /** For apps: the channels to report. */
  readonly filter?: WebhookFilter;
  /** For apps: headers to send; `********` stands for a value that is not shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For instances; `********` stands for a secret that is not shown. */
  readonly secret?: string;
}

/** The events that each kind's webhooks can receive. */
export const webhookEvents: Readonly<Record<Kind, readonly string[]>> = {
  apps: [
    'channel_occupied',
    'channel_vacated',
    'member_added',
    'member_removed',
    'client_event',
    'cache_miss',
    'subscription_count',
  ],
  instances: ['v1.PublishToUsersAttempt', 'v1.UserNotificationAcknowledgement', 'v1.UserNotificationOpen'],
};

/** Whether the server would refuse the endpoint. */
export function isFaulty({ url, events = [], secret = '' }: Webhook, kind: Kind): boolean {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) return true;
  return kind === 'instances' && (events.length === 0 || secret === '');
}

/** The channels whose events an endpoint receives; empty fields match all. */
export interface WebhookFilter {
  readonly channelNameStartsWith?: string;
  readonly channelNameEndsWith?: string;
  readonly encryptedChannels?: boolean;
}

/** `Name: value`, a line each. */
export const headerLines = (headers: Webhook['headers'] = {}): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** @returns undefined if a line is no header */
export function headersIn(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.map((line) => /^\s*([\w-]+)\s*:\s*(.+?)\s*$/.exec(line)?.slice(1));
  return entries.includes(undefined) ? undefined : Object.fromEntries(entries as [string, string][]);
}
