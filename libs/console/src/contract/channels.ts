import type { Activity, Timeline } from './activity.js';
import type { Page } from './page.js';
import type { DevicePublish, Platform } from './push.js';

export interface Connection {
  readonly socketId: string;
  readonly node: string;
  readonly connectedAt: number;
  readonly transport: 'websocket' | 'http';
  readonly remoteAddress: string;
  readonly userId: string | null;
  readonly channels: number;
  readonly waitingBytes: number;
}

export interface ConnectionDetail extends Omit<Connection, 'channels'> {
  readonly channels: readonly string[];
  readonly origin: string | null;
  /** Whether it is signed in as its user. Otherwise, the user is only present on a channel. */
  readonly isSignedIn: boolean;
  readonly userInfo: unknown;
  /** Messages sent to it, if they are counted. */
  readonly sent?: number;
  readonly timeline: Timeline;
}

export type Connections = Page<'connections', Connection> & { readonly total: number };

export type UserConnection = Omit<ConnectionDetail, 'userInfo' | 'timeline'>;

export interface UserDevice {
  readonly instance: string;
  readonly id: string;
  readonly platform: Platform;
}

/** What was pushed to a user's devices, the latest first; of a user with many devices, to some of them. */
export interface UserPushes {
  readonly pushes: readonly (DevicePublish & { readonly instance: string; readonly platform: Platform })[];
}

/** A user of an app, over all processes. */
export interface UserDetail {
  readonly id: string;
  /** On which the user is signed in, or present on a channel; the latest first. */
  readonly connections: readonly UserConnection[];
  readonly timeline: Timeline;
  /** Of this user id in all push instances. */
  readonly devices: readonly UserDevice[];
  /** Processes that did not answer. */
  readonly missingNodes: number;
}

/** A row of the list of channels. */
export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly subscriptions: number;
  /** Sent to it in the last seconds, by servers and clients. */
  readonly eventsPerSecond: number;
  /** Only for presence channels. */
  readonly users: number | null;
}

export interface Channels extends Page<'channels', Channel> {
  /** All that match the search. */
  readonly total: number;
  /** How many of them were compared with each other, if they are not in the order of names. */
  readonly compared: number;
}

/** A member of a presence channel. */
export interface ShownMember {
  readonly id: string;
  readonly info: unknown;
}

export interface ChannelDetail extends Channel {
  readonly occupied: boolean;
  readonly members: readonly ShownMember[] | null;
  readonly cached: { readonly name: string; readonly data: string } | null;
  readonly history: { readonly events: number; readonly seconds: number } | null;
}

/** Whether a connection got an event, and the reason. */
export interface Verdict {
  readonly verdict: 'delivered' | 'not_delivered' | 'unknown';
  readonly reason: string;
  /** A sentence; `{at}` in it stands for the time `at`, which the page shows in the viewer's time zone. */
  readonly text: string;
  readonly at?: number;
}

/** An event that the event creator has sent. */
export interface SentEvent {
  readonly id: string;
  /** On all its channels together, just after it was sent. */
  readonly subscriptions: number;
}

/** A line of the timeline, for display. */
export interface TimelineEntry {
  readonly at: number;
  readonly text: string;
}

export interface WhySocket extends Verdict {
  /** Null for a verdict on a user without connections. */
  readonly socketId: string | null;
  readonly userId: string | null;
  readonly timeline: readonly TimelineEntry[];
}

export interface Why {
  readonly event: Activity | null;
  readonly sockets: readonly WhySocket[];
  /** Since when all processes keep events, but for those that were too many in a second. */
  readonly since: number;
  /** When events were last too many in a second to keep them all. */
  readonly skippedAt: number | null;
}

/** A connection that was refused. */
export interface RefusedConnection {
  readonly at: number;
  readonly node: string;
  /** Whether the app refused it, rather than a key that no app has. */
  readonly isOfApp: boolean;
  /** The key that the client brought. */
  readonly key: string;
  readonly remoteAddress: string;
  readonly origin: string | null;
  readonly code: number | null;
  readonly message: string;
}

/** The latest refused connections of an app, and those with a key that no app has. */
export interface Refusals {
  readonly refusals: readonly RefusedConnection[];
}
