import type { Kind } from './kinds.js';

/** An endpoint, with any further fields that the server returned. */
export interface Webhook {
  readonly url: string;
  readonly events?: readonly string[];
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
