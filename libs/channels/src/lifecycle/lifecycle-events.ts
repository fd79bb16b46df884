/** What happened to a channel. */
export interface ChannelHappening {
  readonly appId: string;
  readonly channel: string;
  /** When it happened. */
  readonly at: Date;
}

/** A user that joined a presence channel, or left it with their last connection. */
export interface MemberHappening extends ChannelHappening {
  readonly userId: string;
}

/** An event that a client sent to the others of its channel. */
export interface ClientEventHappening extends ChannelHappening {
  readonly event: string;
  /** The text of the data, as it was sent. */
  readonly data: string;
  readonly socketId: string;
  /** On presence channels. */
  readonly userId?: string;
}

/** A user that signed in on their first connection, or closed their last one. */
export interface UserHappening {
  readonly appId: string;
  readonly userId: string;
  /** When it happened. */
  readonly at: Date;
}

/** What a listener is given, by the name of what happened. */
export interface LifecycleEvents {
  readonly channel_occupied: ChannelHappening;
  readonly channel_vacated: ChannelHappening;
  readonly member_added: MemberHappening;
  readonly member_removed: MemberHappening;
  readonly client_event: ClientEventHappening;
  readonly cache_miss: ChannelHappening;
  readonly user_online: UserHappening;
  readonly user_offline: UserHappening;
}

interface Told {
  readonly app_id: string;
  readonly time_ms: number;
  readonly channel?: string;
  readonly user_id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly socket_id?: string;
}

/** What a listener is given for the text that waited in the outbox. */
function payload(json: string): object {
  const {
    app_id: appId,
    time_ms: time,
    channel,
    user_id: userId,
    event,
    data,
    socket_id: socketId,
  } = JSON.parse(json) as Told;
  return {
    appId,
    ...(channel !== undefined && { channel }),
    ...(userId !== undefined && { userId }),
    ...(event !== undefined && { event, data, socketId }),
    at: new Date(time),
  };
}

export const lifecyclePayloads: Readonly<Record<keyof LifecycleEvents, typeof payload>> = {
  channel_occupied: payload,
  channel_vacated: payload,
  member_added: payload,
  member_removed: payload,
  client_event: payload,
  cache_miss: payload,
  user_online: payload,
  user_offline: payload,
};
