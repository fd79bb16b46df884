interface OfMember {
  readonly channel: string;
  readonly user_id: string;
  /** The connection that joined first or left last; for webhooks with `memberSocketIds`, if it is known. */
  readonly socket_id?: string;
}

/** Events that are sent only if they still apply after a delay (channels-wire §7). */
export type HoldableEvent =
  { readonly name: 'channel_vacated'; readonly channel: string } | (OfMember & { readonly name: 'member_removed' });

/** Events that are sent at once. */
export type PromptEvent =
  | { readonly name: 'channel_occupied'; readonly channel: string }
  | { readonly name: 'cache_miss'; readonly channel: string }
  | (OfMember & { readonly name: 'member_added' })
  | {
      readonly name: 'client_event';
      readonly channel: string;
      readonly event: string;
      readonly data: string;
      readonly socket_id: string;
      readonly user_id?: string;
    }
  | { readonly name: 'subscription_count'; readonly channel: string; readonly subscription_count: number };

/** The events that webhooks report (channels-wire §7). */
export type WebhookEvent = HoldableEvent | PromptEvent;

/** For listeners only: no webhook reports them. Features add theirs. */
export interface ListenerActivities {
  readonly user_online: { readonly name: 'user_online'; readonly user_id: string };
}
export type UserOffline = { readonly name: 'user_offline'; readonly user_id: string };

export type PromptActivity = PromptEvent | ListenerActivities[keyof ListenerActivities];
export type HoldableActivity = HoldableEvent | UserOffline;
export type Activity = PromptActivity | HoldableActivity;

/** The events that report that something is there, each with its opposite among the holdable ones. */
export type Appearance = Extract<Activity, { readonly name: 'channel_occupied' | 'member_added' | 'user_online' }>;

/** The fields that identify the subject of an event. */
export interface ActivitySubject {
  readonly channel?: string;
  readonly event?: string;
  readonly user_id?: string;
}

/** The value that a listener's pattern is matched against. */
export const subjectOf = (name: Activity['name'], { channel, event, user_id: userId }: ActivitySubject): string =>
  (name === 'client_event' ? event : (channel ?? userId)) ?? '';

/** What cancels an event that is held. */
export const opposites = {
  channel_occupied: 'channel_vacated',
  channel_vacated: 'channel_occupied',
  member_added: 'member_removed',
  member_removed: 'member_added',
  user_online: 'user_offline',
  user_offline: 'user_online',
} as const satisfies Record<Appearance['name'] | HoldableActivity['name'], Activity['name']>;

export const isAppearance = (event: PromptActivity): event is Appearance => event.name in opposites;
