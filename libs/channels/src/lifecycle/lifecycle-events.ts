/** An activity on a channel. */
export interface ChannelActivity {
  readonly appId: string;
  readonly channel: string;
  /** When it happened. */
  readonly at: Date;
}

/** A user joined a presence channel, or left it with their last connection. */
export interface MemberActivity extends ChannelActivity {
  readonly userId: string;
}

/** A client sent an event to the other subscribers of its channel. */
export interface ClientEventActivity extends ChannelActivity {
  readonly event: string;
  /** The text of the data, as sent. */
  readonly data: string;
  readonly socketId: string;
  /** Set on presence channels. */
  readonly userId?: string;
}

/** A user signed in on their first connection, or closed their last one. */
export interface UserActivity {
  readonly appId: string;
  readonly userId: string;
  /** When it happened. */
  readonly at: Date;
}

/** The argument of a listener, by the name of the event; features add theirs. */
export interface LifecycleEvents {
  readonly channel_occupied: ChannelActivity;
  readonly channel_vacated: ChannelActivity;
  readonly member_added: MemberActivity;
  readonly member_removed: MemberActivity;
  readonly client_event: ClientEventActivity;
  readonly cache_miss: ChannelActivity;
  readonly user_online: UserActivity;
  readonly user_offline: UserActivity;
}

interface Payload {
  readonly app_id: string;
  readonly time_ms: number;
  readonly channel?: string;
  readonly user_id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly socket_id?: string;
}

/** The argument of a listener, from the JSON in the outbox. */
export function payload(json: string): object {
  const { app_id: appId, time_ms: time, channel, user_id: userId, ...sent } = JSON.parse(json) as Payload;
  const { event, data, socket_id: socketId } = sent;
  return {
    appId,
    ...(channel !== undefined && { channel }),
    ...(userId !== undefined && { userId }),
    ...(event !== undefined && { event, data, socketId }),
    at: new Date(time),
  };
}

export const lifecyclePayloads = {
  channel_occupied: payload,
  channel_vacated: payload,
  member_added: payload,
  member_removed: payload,
  client_event: payload,
  cache_miss: payload,
  user_online: payload,
  user_offline: payload,
} satisfies Partial<Record<keyof LifecycleEvents, typeof payload>>;
