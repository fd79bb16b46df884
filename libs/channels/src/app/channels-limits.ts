import { IsCount, rule } from '#common';

/** What is in a message or request beside the data: names, a signature, JSON. */
const besideData = 1024;

/** The room that data needs in a message of a client or in a request. */
export const roomFor = (dataBytes: number): number => dataBytes + besideData;

/** A limit below it would refuse what another limit allows: a client is closed with 1009, a server gets 413. */
const HasRoomFor = (...names: readonly ('eventDataBytes' | 'presenceUserBytes')[]): PropertyDecorator =>
  rule(
    'hasRoom',
    `must be at least ${besideData} more than ${names.join(' and ')}`,
    (bytes, limits) => names.every((name) => !(Number(bytes) < roomFor((limits as ChannelsLimits)[name]))),
    { context: { shown: 'number' } },
  );

/** The limits of the Channels API. The defaults are the protocol's (api § Limits, channels-wire §3.4, §3.5). */
export class ChannelsLimits {
  /** Characters of a channel name, prefix included. @default 200 */
  @IsCount()
  readonly channelNameLength: number = 200;
  /** Characters of an event name. @default 200 */
  @IsCount()
  readonly eventNameLength: number = 200;
  /** Bytes of UTF-8 in an event's data. @default 10240 */
  @IsCount()
  readonly eventDataBytes: number = 10_240;
  /** Channels in one trigger. @default 100 */
  @IsCount()
  readonly channelsPerTrigger: number = 100;
  /** Events in one batch. @default 10 */
  @IsCount()
  readonly eventsPerBatch: number = 10;
  /** Bytes of an HTTP request body: at least 1024 more than `eventDataBytes`. @default 1048576 */
  @IsCount()
  @HasRoomFor('eventDataBytes')
  readonly requestBytes: number = 1_048_576;
  /** Users of a presence channel. @default 100 */
  @IsCount()
  readonly presenceMembers: number = 100;
  /** Bytes of JSON in a presence member's user_info. @default 1024 */
  @IsCount()
  readonly presenceUserBytes: number = 1024;
  /** Characters of a user id. @default 128 */
  @IsCount()
  readonly userIdLength: number = 128;
  /** Client events that a connection may send in a second. @default 10 */
  @IsCount()
  readonly clientEventsPerSecond: number = 10;
  /** Events that an app may trigger in a second. @default Infinity */
  @IsCount()
  readonly triggersPerSecond: number = Infinity;
  /** Events in the history of a channel; caps an app's `history`. @default 10000 */
  @IsCount(1, 1_000_000)
  readonly historyEvents: number = 10_000;
  /** How long events stay in a history, in seconds. @default 3600 */
  @IsCount(1, 86_400)
  readonly historySeconds: number = 3600;
  /** Bytes of UTF-8 in the history of a channel. @default 4194304 */
  @IsCount(1, 1_073_741_824)
  readonly historyBytes: number = 4_194_304;
  /** Channels that a connection may be on at a time. @default 1000 */
  @IsCount()
  readonly subscriptions: number = 1000;
  /**
   * Subscribes of a connection in a second; further ones are refused with 4301. A client may send as many as
   * `subscriptions` at once. @default 50
   */
  @IsCount(1)
  readonly subscribesPerSecond: number = 50;
  /**
   * Channels without subscribers in this process that a connection may open in a minute; further ones are refused with
   * 4301. A client may open as many as `subscriptions` at once. @default 600
   */
  @IsCount(1)
  readonly newChannelsPerMinute: number = 600;
  /**
   * Messages of a connection that may be refused in a second, after as many as `subscriptions` at once. Further ones are
   * answered with 4301, and when they go on, the connection is closed with 4100. @default 100
   */
  @IsCount(1)
  readonly refusalsPerSecond: number = 100;
  /**
   * Messages and frames of a connection in a second that only keep it alive, such as pings and pongs that answer none, ten
   * times as many at once; when they go on, the connection is closed with 4100. @default 100
   */
  @IsCount(1)
  readonly heartbeatsPerSecond: number = 100;
  /** Users on a watchlist. @default 100 */
  @IsCount()
  readonly watchlistUsers: number = 100;
  /** Bytes of one message from a client: at least 1024 more than `eventDataBytes` and `presenceUserBytes`. @default 131072 */
  @IsCount()
  @HasRoomFor('eventDataBytes', 'presenceUserBytes')
  readonly messageBytes: number = 131_072;
  /** Bytes that may wait for a slow connection; beyond it, the connection is closed with 4100. @default 1048576 */
  @IsCount()
  readonly queuedBytes: number = 1_048_576;
  /**
   * How long bytes may wait for a connection that reads none of them, in milliseconds; then the connection is closed with
   * 4100. @default 20000
   */
  @IsCount(1000)
  readonly queuedMs: number = 20_000;
  /**
   * How long a WebSocket client may take to answer a ping that is sent after 256 KiB, at most six times in that time, in
   * milliseconds, if it answers no other: it proves that it reads. Without an answer, the connection is closed with
   * 4100. @default 60000
   */
  @IsCount(1000)
  readonly readProofMs: number = 60_000;
  /**
   * Bytes that may wait for all connections of this process together; beyond it, connections of the network for which most
   * waits are closed, first those that have read nothing for the longest time. @default 268435456
   */
  @IsCount(1)
  readonly processQueuedBytes: number = 268_435_456;
  /**
   * How long a message of a WebSocket client may take from its first byte to its last, in milliseconds; then the connection
   * is closed with 4100. @default 60000
   */
  @IsCount(1000)
  readonly messageMs: number = 60_000;
  /**
   * Bytes of incomplete messages and requests that this process keeps; beyond it, the largest of the network with most is
   * refused, with 4100 or 503. @default 67108864
   */
  @IsCount(1)
  readonly processInputBytes: number = 67_108_864;
  /**
   * Connections that a client, identified by its IPv4 address or the /64 of its IPv6 address, may have open at this
   * process; beyond it, new ones are closed with 4100. Private addresses are not counted. @default 10000
   */
  @IsCount(1)
  readonly connectionsPerAddress: number = 10_000;
  /**
   * Connections that such a client may open at this process in a minute, ten times as many at once; beyond it, new ones
   * are closed with 4100. @default 1200
   */
  @IsCount(1)
  readonly newConnectionsPerAddress: number = 1200;
  /**
   * What all connections of such a client may cause together, in multiples of what one connection may: subscribes, new
   * channels, refused messages and heartbeats. @default 50
   */
  @IsCount(1)
  readonly budgetsPerAddress: number = 50;
  /**
   * Subscriptions of all connections of such a client to this process; beyond it, further ones are refused.
   * @default 100000
   */
  @IsCount(1)
  readonly subscriptionsPerAddress: number = 100_000;
  /**
   * Bytes of client events that all connections of a user may send in a second, twice as many at once; further ones are
   * refused with 4301. @default 262144
   */
  @IsCount(1)
  readonly clientEventBytesPerUser: number = 262_144;
  /**
   * Bytes that this process may send in a second for client events of such a client: those of each event, for each of its
   * receivers. Further ones are refused with 4301. @default 33554432
   */
  @IsCount(1)
  readonly clientEventFanOutPerAddress: number = 33_554_432;
  /**
   * Sessions that such a client may begin at this process in a minute, ten times as many at once; beyond it, connections
   * with a session are closed with 4100. @default 600
   */
  @IsCount(1)
  readonly newSessionsPerAddress: number = 600;
  /**
   * Connections over plain HTTP that a client, identified by its IPv4 address or the /64 of its IPv6 address, may have
   * open at this process; beyond it, new ones are closed with 4100. Private addresses are not counted. @default 1000
   */
  @IsCount()
  readonly httpConnectionsPerAddress: number = 1000;
  /**
   * Sockets that such a client may have open at this process without having sent a request, those in a TLS handshake
   * included; beyond it, new ones are answered with 503, or closed before their handshake. @default 1000
   */
  @IsCount(1)
  readonly silentSocketsPerAddress: number = 1000;
  /**
   * Bytes of each kind that an app may have the processes of a store keep together: last events of cache channels and
   * histories; answers to requests with an `Idempotency-Key`; who has received which event. At most half of `processKeptBytes`;
   * beyond it, triggers that keep something get 429, and it is no longer noted who receives events. @default 536870912
   */
  @IsCount(1)
  readonly keptBytes: number = 536_870_912;
  /**
   * The same, of all apps together; beyond it, the apps that keep most are refused. A Redis with a `maxmemory` is used to
   * half of it, and no further once it is filled to three quarters. Each process has an equal part. @default 1073741824
   */
  @IsCount(1)
  readonly processKeptBytes: number = 1_073_741_824;
  /** Connections of this process over all apps; beyond it, new ones are closed with 4100. @default Infinity */
  @IsCount()
  readonly connections: number = Infinity;
}
