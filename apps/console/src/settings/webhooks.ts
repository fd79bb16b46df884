import type { Kind } from './kinds.js';

/** An endpoint as the server knows it, with whatever else it has. */
export interface Webhook {
  readonly url: string;
  readonly events?: readonly string[];
  /** Of instances; `********` where there is one that is not shown. */
  readonly secret?: string;
}

/** What each kind may be told of. */
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

/** Whether the server would refuse it. */
export function isFaulty({ url, events = [], secret = '' }: Webhook, kind: Kind): boolean {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) return true;
  return kind === 'instances' && (events.length === 0 || secret === '');
}
