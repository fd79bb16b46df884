import type { HostingOptions, WebhookSenderOptions } from 'rookery/common';
import type { AppConfig } from './access/app.js';
import { type WebhookSettings, webhookSettings } from './webhooks/webhook-settings.js';

/** The limits of the Channels API. Those of the protocol are the defaults (api § Limits, channels-wire §3.4, §3.5). */
export interface ChannelsLimits {
  /** Characters of a channel name, prefix included. @default 200 */
  readonly channelNameLength: number;
  /** Characters of an event name. @default 200 */
  readonly eventNameLength: number;
  /** Bytes of UTF-8 in an event's data. @default 10240 */
  readonly eventDataBytes: number;
  /** @default 100 */
  readonly channelsPerTrigger: number;
  /** @default 10 */
  readonly eventsPerBatch: number;
  /** Bytes of an HTTP request body. @default 1048576 */
  readonly requestBytes: number;
  /** Users of a presence channel. @default 100 */
  readonly presenceMembers: number;
  /** Bytes of JSON in a presence member's user_info. @default 1024 */
  readonly presenceUserBytes: number;
  /** Characters of a user id. @default 128 */
  readonly userIdLength: number;
  /** Client events a connection may send in a second. @default 10 */
  readonly clientEventsPerSecond: number;
  /** Users of a watchlist. @default 100 */
  readonly watchlistUsers: number;
  /** Bytes of one message from a client. @default 131072 */
  readonly messageBytes: number;
  /** Bytes that may wait for a connection that reads slowly; over it, it is closed with 4100. @default 1048576 */
  readonly queuedBytes: number;
  /** Connections of this process over all apps; over it, new ones are closed with 4100. @default Infinity */
  readonly connections: number;
}

export interface ChannelsOptions extends HostingOptions {
  /** The apps to serve, unless another AppRepository is named. */
  readonly apps?: readonly AppConfig[];
  /** What stands before `/app/<key>` in the socket's URL (pusher-js: `wsPath`). @default '' */
  readonly path?: string;
  /** Seconds without a message after which a connection is pinged. @default 120 */
  readonly activityTimeoutSeconds?: number;
  /** Seconds that a pinged connection has to answer. @default 30 */
  readonly pongTimeoutSeconds?: number;
  /** Seconds for which a cache channel remembers its last event. @default 1800 */
  readonly cacheTtlSeconds?: number;
  /** Whether a connection must say its protocol version; without it, it is closed with 4008. @default false */
  readonly strictProtocol?: boolean;
  /** How webhooks are sent. */
  readonly webhooks?: Partial<WebhookSettings>;
  /** How much the sender of webhooks does at once. */
  readonly webhookSender?: Omit<WebhookSenderOptions, 'allowPrivateNetwork'>;
  /**
   * Whether triggers are read from their connections and answered by Rookery itself. Several times as fast, but no hook,
   * no middleware and no other route of the host ever sees one: for applications that have none for these paths. What is
   * not a plain trigger goes to Node and the host's platform as ever. With global guards, interceptors or pipes it stays
   * off and says so. @default false
   */
  readonly bypassRouter?: boolean;
  readonly limits?: Partial<ChannelsLimits>;
}

/** Injection token of the module's options. */
export const channelsOptions = Symbol('ChannelsOptions');

const defaultLimits: ChannelsLimits = {
  channelNameLength: 200,
  eventNameLength: 200,
  eventDataBytes: 10_240,
  channelsPerTrigger: 100,
  eventsPerBatch: 10,
  requestBytes: 1_048_576,
  presenceMembers: 100,
  presenceUserBytes: 1024,
  userIdLength: 128,
  clientEventsPerSecond: 10,
  watchlistUsers: 100,
  messageBytes: 131_072,
  queuedBytes: 1_048_576,
  connections: Infinity,
};

/** The module's options with every default filled in. */
export class ChannelsSettings {
  readonly path: string;
  readonly useGlobalPrefix: boolean;
  readonly allowGlobalGuards: boolean;
  readonly activityTimeoutSeconds: number;
  readonly pongTimeoutSeconds: number;
  readonly cacheTtlSeconds: number;
  readonly strictProtocol: boolean;
  readonly bypassRouter: boolean;
  readonly webhooks: WebhookSettings;
  readonly limits: ChannelsLimits;

  constructor(options: ChannelsOptions) {
    this.path = options.path ?? '';
    this.useGlobalPrefix = options.useGlobalPrefix ?? false;
    this.allowGlobalGuards = options.allowGlobalGuards ?? false;
    this.activityTimeoutSeconds = options.activityTimeoutSeconds ?? 120;
    this.pongTimeoutSeconds = options.pongTimeoutSeconds ?? 30;
    this.cacheTtlSeconds = options.cacheTtlSeconds ?? 1800;
    this.strictProtocol = options.strictProtocol ?? false;
    this.bypassRouter = options.bypassRouter ?? false;
    this.webhooks = webhookSettings(options.webhooks);
    this.limits = { ...defaultLimits, ...options.limits };
    if (this.path !== '' && !/^\/.*[^/]$/.test(this.path))
      throw new Error(`ChannelsModule: path must begin with / and not end with it, got ${JSON.stringify(this.path)}`);
    if (!(this.activityTimeoutSeconds > 0))
      throw new Error(
        `ChannelsModule: activityTimeoutSeconds must be above 0, got ${String(this.activityTimeoutSeconds)}`,
      );
  }
}
