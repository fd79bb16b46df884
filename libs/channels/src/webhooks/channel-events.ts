/** What is told only if it is still so after a while (channels-wire §7). */
export type HoldableEvent =
  | { readonly name: 'channel_vacated'; readonly channel: string }
  | { readonly name: 'member_removed'; readonly channel: string; readonly user_id: string };

/** What is told at once. */
export type PromptEvent =
  | { readonly name: 'channel_occupied' | 'cache_miss'; readonly channel: string }
  | { readonly name: 'member_added'; readonly channel: string; readonly user_id: string }
  | {
      readonly name: 'client_event';
      readonly channel: string;
      readonly event: string;
      readonly data: string;
      readonly socket_id: string;
      readonly user_id?: string;
    }
  | { readonly name: 'subscription_count'; readonly channel: string; readonly subscription_count: number };

/** What a webhook tells of a channel (channels-wire §7). */
export type WebhookEvent = HoldableEvent | PromptEvent;
