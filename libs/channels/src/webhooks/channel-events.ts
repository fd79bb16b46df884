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

/** What is told of a user: to listeners alone, no webhook knows of it. */
export type UserOnline = { readonly name: 'user_online'; readonly user_id: string };
export type UserOffline = { readonly name: 'user_offline'; readonly user_id: string };

export type PromptActivity = PromptEvent | UserOnline;
export type HoldableActivity = HoldableEvent | UserOffline;
export type Activity = PromptActivity | HoldableActivity;

/** What tells one happening from another. */
export interface ActivitySubject {
  readonly channel?: string;
  readonly event?: string;
  readonly user_id?: string;
}

/** What the pattern of a listener is compared with. */
export const subjectOf = (name: Activity['name'], { channel, event, user_id: userId }: ActivitySubject): string =>
  (name === 'client_event' ? event : (channel ?? userId)) ?? '';

export const opposites: Partial<Record<Activity['name'], Activity['name']>> = {
  channel_occupied: 'channel_vacated',
  channel_vacated: 'channel_occupied',
  member_added: 'member_removed',
  member_removed: 'member_added',
  user_online: 'user_offline',
  user_offline: 'user_online',
};
