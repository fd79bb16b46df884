/** What a webhook tells of a channel (channels-wire §7). */
export type WebhookEvent =
  | { readonly name: 'channel_occupied' | 'channel_vacated' | 'cache_miss'; readonly channel: string }
  | { readonly name: 'member_added' | 'member_removed'; readonly channel: string; readonly user_id: string }
  | {
      readonly name: 'client_event';
      readonly channel: string;
      readonly event: string;
      readonly data: string;
      readonly socket_id: string;
      readonly user_id?: string;
    }
  | { readonly name: 'subscription_count'; readonly channel: string; readonly subscription_count: number };
