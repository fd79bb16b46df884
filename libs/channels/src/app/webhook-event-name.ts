/** The seven events that a webhook can ask for (channels-wire §7). */
export const webhookEventNames = [
  'channel_occupied',
  'channel_vacated',
  'member_added',
  'member_removed',
  'client_event',
  'cache_miss',
  'subscription_count',
] as const;

export type WebhookEventName = (typeof webhookEventNames)[number];
