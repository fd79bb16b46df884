/** From a tab to the host. */
export type TabMessage =
  /** All that the tab wants, with each change. A channel's number changes with each attempt to subscribe. */
  | {
      readonly type: 'wants';
      readonly tab: string;
      readonly channels: Readonly<Record<string, number>>;
      readonly signsIn: boolean;
    }
  | {
      readonly type: 'send';
      readonly tab: string;
      readonly event: string;
      readonly data: unknown;
      readonly channel?: string | undefined;
    }
  /** The answer to `ask`. */
  | { readonly type: 'answer'; readonly id: string; readonly error: string | undefined; readonly token: unknown };

/** An event of pusher-js. */
export interface SharedEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The members of a presence channel, as pusher-js has them. */
export interface Roster {
  readonly members: Record<string, unknown>;
  readonly myID: string;
}

/** A subscription that has succeeded, with what a tab that comes later needs. */
export interface JoinedChannel {
  readonly type: 'joined';
  readonly channel: string;
  readonly data: unknown;
  readonly roster: Roster | undefined;
  readonly count: number | undefined;
  /** What the server has sent once: the last event of a cache channel, streams so far. */
  readonly earlier: readonly SharedEvent[];
}

/** An event of a channel, or one of the connection without a channel, such as an error. */
export interface ChannelEvent extends SharedEvent {
  readonly type: 'event';
  readonly channel: string | undefined;
  /** Of a client event on a presence channel. */
  readonly userId?: string | undefined;
  /** Who hears it: the channel's listeners, those of the client, or both. */
  readonly on: 'channel' | 'client' | 'both';
  readonly position?: string | undefined;
  readonly replayed?: boolean | undefined;
  /** The tab that sent it. */
  readonly except?: string;
}

type HostContent =
  /** The host has begun, or greets a tab. */
  | { readonly type: 'host'; readonly session: string; readonly state: string; readonly socketId: string | undefined }
  | (SharedEvent & { readonly type: 'connection'; readonly socketId: string | undefined })
  | JoinedChannel
  | ChannelEvent
  | { readonly type: 'user'; readonly user: unknown }
  | (SharedEvent & { readonly type: 'user-event' | 'watchlist' })
  /** Asks for a token, of a channel or of the user. */
  | {
      readonly type: 'ask';
      readonly id: string;
      readonly socketId: string;
      readonly channelName: string | undefined;
    };

/** From the host to all tabs, or to one. */
export type HostMessage = HostContent & { readonly host: string; readonly to?: string | undefined };

/** What pages and workers start a host with. */
export interface HostStart {
  readonly group: string;
  readonly key: string;
  readonly options: SharedOptions;
  /** Of the host before. */
  readonly session: string | undefined;
}

/** The options of pusher-js without functions. */
export interface SharedOptions {
  readonly wsPath?: string;
  /** Whether tabs create the tokens, by a `customHandler` in each. */
  readonly asksChannels: boolean;
  readonly asksUser: boolean;
}
