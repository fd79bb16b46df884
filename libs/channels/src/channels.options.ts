import { IsBoolean } from 'class-validator';
import { type Given, HostingSettings, IsAmount, IsCount, Nested, Optional, rule } from 'rookery/common';
import { App, type AppConfig } from './access/app.js';
import { WebhookSenderSettings, WebhookSettings } from './webhooks/webhook-settings.js';

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
  /** Bytes of an HTTP request body. @default 1048576 */
  @IsCount()
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
  /** Users on a watchlist. @default 100 */
  @IsCount()
  readonly watchlistUsers: number = 100;
  /** Bytes of one message from a client. @default 131072 */
  @IsCount()
  readonly messageBytes: number = 131_072;
  /** Bytes that may wait for a slow connection; beyond it, the connection is closed with 4100. @default 1048576 */
  @IsCount()
  readonly queuedBytes: number = 1_048_576;
  /**
   * Connections over plain HTTP that a client, identified by its IPv4 address or the /64 of its IPv6 address, may have
   * open at this process; beyond it, new ones are closed with 4100. Private addresses are not counted. @default 1000
   */
  @IsCount()
  readonly httpConnectionsPerAddress: number = 1000;
  /** Connections of this process over all apps; beyond it, new ones are closed with 4100. @default Infinity */
  @IsCount()
  readonly connections: number = Infinity;
}

const isSocketPath = (path: unknown): boolean => typeof path === 'string' && (path === '' || /^\/.*[^/]$/.test(path));

const isAboveZero = (value: unknown): boolean => typeof value === 'number' && value > 0;

/** How clients with a session acknowledge what they have received, on channels with a history. */
export class SessionSettings {
  /** How soon a client is pinged after an event, in milliseconds. @default 1000 */
  @IsAmount(1)
  readonly pingMs: number = 1000;
  /** How long a client's positions are kept after its connection closes, in seconds. @default 86400 */
  @IsAmount(1, 86_400)
  readonly keepSeconds: number = 86_400;
}

/** How events are sent that were triggered within transactions. */
export class TriggerRelaySettings {
  /**
   * Whether this process sends them. Set it to false in a process whose Broker does not reach the clients, because it
   * shares only the database with the processes that serve them. @default true
   */
  @IsBoolean()
  readonly enabled: boolean = true;
  /** How often to poll for commits of other processes, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly pollMs: number = 1000;
  /** How long after a process dies another one takes over its work, in milliseconds. @default 5000 */
  @IsCount(1000)
  readonly leaseMs: number = 5000;
}

/** The settings of ChannelsModule. */
export class ChannelsSettings extends HostingSettings {
  /** The apps to serve, unless you provide an AppRepository. */
  @Optional()
  @Nested(() => App, { each: true })
  readonly apps?: readonly AppConfig[];
  /** The path before `/app/<key>` in the socket's URL (pusher-js: `wsPath`). @default '' */
  @rule('isSocketPath', 'must begin with / and not end with it', isSocketPath, { context: { shown: 'string' } })
  readonly path: string = '';
  /** Seconds without a message after which a connection is pinged. @default 120 */
  @rule('isAboveZero', 'must be a number above 0', isAboveZero, { context: { shown: 'number' } })
  readonly activityTimeoutSeconds: number = 120;
  /** Seconds within which a pinged connection must answer. @default 30 */
  @IsAmount(0)
  readonly pongTimeoutSeconds: number = 30;
  /** Seconds for which a cache channel remembers its last event. @default 1800 */
  @IsAmount(0)
  readonly cacheTtlSeconds: number = 1800;
  /** Whether a client must send its protocol version; otherwise it is closed with 4008. @default false */
  @IsBoolean()
  readonly strictProtocol: boolean = false;
  /**
   * Seconds over which a process that shuts down closes its connections, if other processes can take the clients.
   * Otherwise it closes all of them at the end. With 0, all are closed at once. @default 10
   */
  @IsAmount(0)
  readonly drainSeconds: number = 10;
  /** How returning clients are sent what they missed. */
  @Nested(() => SessionSettings)
  readonly sessions: SessionSettings = new SessionSettings();
  /** How events are sent that were triggered within transactions. */
  @Nested(() => TriggerRelaySettings)
  readonly triggerRelay: TriggerRelaySettings = new TriggerRelaySettings();
  /** How webhooks are sent. */
  @Nested(() => WebhookSettings)
  readonly webhooks: WebhookSettings = new WebhookSettings();
  /** The concurrency of the webhook sender. */
  @Nested(() => WebhookSenderSettings)
  readonly webhookSender: WebhookSenderSettings = new WebhookSenderSettings();
  /**
   * Whether Rookery reads triggers directly from their connections and answers them itself. This is several times as
   * fast, but no hook, middleware or other route of the host sees these requests, so use it only if you have none for
   * these paths. All other requests go to Node and the host's platform as usual. With global guards, interceptors or
   * pipes it stays off and logs the reason. @default false
   */
  @IsBoolean()
  readonly bypassRouter: boolean = false;
  @Nested(() => ChannelsLimits)
  readonly limits: ChannelsLimits = new ChannelsLimits();
}

/** The options of `ChannelsModule.forRoot`, without its ports. */
export type ChannelsOptions = Given<ChannelsSettings>;

/** Injection token of the module's options. */
export const channelsOptions = Symbol('ChannelsOptions');
