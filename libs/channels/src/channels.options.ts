import { IsArray, IsBoolean } from 'class-validator';
import { type Given, IsAmount, IsCount, IsExactText, IsText, isObject, Nested, Optional, rule } from '#common';
import { HostingSettings, isProxyList, proxyListRule } from '#http';
import { App, type AppConfig } from './app/app.js';
import { ChannelsLimits, roomFor } from './app/channels-limits.js';
import { ReceiptSettings } from './wings/receipts/receipts.options.js';
import { RequestSettings } from './wings/requests/requests.options.js';
import { SessionSettings } from './wings/sessions/sessions.options.js';
import { StateSettings } from './wings/state/state.options.js';
import { StreamSettings } from './wings/streams/streams.options.js';

const isSocketPath = (path: unknown): boolean => typeof path === 'string' && (path === '' || /^\/.*[^/]$/.test(path));

/** Other characters have a meaning in routes, or reach the server escaped. */
const isPlainPath = (path: unknown): boolean => typeof path === 'string' && /^[\w.~/-]*$/.test(path);

/** Finite, because it is sent to clients as JSON. */
const isAboveZero = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0;

/** Whether the data that an app allows fits into the messages and requests that the module allows. */
const fits = (app: unknown, settings: Pick<ChannelsSettings, 'limits'>): boolean => {
  // Whatever their values are, which have rules of their own.
  const bytes = isObject(app) && isObject(app['limits']) ? app['limits']['eventDataBytes'] : undefined;
  const limits: Partial<ChannelsLimits> | null = settings.limits;
  const most = Math.min(limits?.messageBytes ?? Infinity, limits?.requestBytes ?? Infinity);
  return typeof bytes !== 'number' || !(roomFor(bytes) > most);
};

/** How events are sent that were triggered within transactions. */
export class TriggerRelaySettings {
  /**
   * Whether this process sends events of committed transactions. Set false if its Broker does not reach the clients.
   * @default true
   */
  @IsBoolean()
  readonly enabled: boolean = true;
  /** Interval of polling for events that other processes committed, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly pollMs: number = 1000;
  /** How long until another process takes over the work of one that died, in milliseconds. @default 5000 */
  @IsCount(1000)
  readonly leaseMs: number = 5000;
}

/** How the webhooks of all apps are sent (channels-wire §7). */
export class WebhookSettings {
  /** The timeout of one try, in milliseconds, at most 30000. @default 10000 */
  @IsCount(1, 30_000)
  readonly timeoutMs: number = 10_000;
  /** How long tries are repeated, after 1, 2, 4 … seconds, in milliseconds. @default 300000 */
  @IsCount()
  readonly retryMs: number = 300_000;
  /**
   * Waiting webhooks, over all apps; beyond it, the oldest of the endpoints and kinds of channels with the most are
   * given up. Checked every five seconds. @default 100000
   */
  @IsCount(1)
  readonly maxWaiting: number = 100_000;
  /** Dead webhooks kept for an app; beyond it, the oldest are dropped. 0: none. @default 10000 */
  @IsCount(0, 100_000)
  readonly deadLetters: number = 10_000;
  /** The bytes of an app's dead webhooks; beyond it, the oldest are dropped. @default 16777216, 16 MB */
  @IsCount(0, 1_073_741_824)
  readonly deadLetterBytes: number = 16 * 1024 * 1024;
  /** How long dead webhooks are kept, in milliseconds. @default 1209600000, 14 days */
  @IsCount(0, 31_536_000_000)
  readonly deadLetterMs: number = 14 * 86_400_000;
  /**
   * How long channel_vacated and member_removed are held, in milliseconds. If a subscriber or the member returns in that
   * time, they are not sent. @default 3000
   */
  @IsCount(0, 60_000)
  readonly holdMs: number = 3000;
  /**
   * How long the clients of a killed process may take to return before webhooks report them gone, in milliseconds. With
   * Redis, `redis.leaseSeconds` applies instead, on a shared PostgreSQL 15 seconds. @default 30000
   */
  @IsCount(0, 3_600_000)
  readonly returnMs: number = 30_000;
  /**
   * How many channel_occupied, and as many member_added, a process sends at once, per second and app. Further ones are
   * held for `holdMs`. @default 50
   */
  @IsCount(1)
  readonly promptPerSecond: number = 50;
  /** How long after a cache_miss no other is sent for the channel, in milliseconds. @default 1000 */
  @IsCount(0, 60_000)
  readonly cacheMissMs: number = 1000;
  /** How long `batchWebhooks` collects events, in milliseconds. @default 1000 */
  @IsCount(0, 60_000)
  readonly batchMs: number = 1000;
  /** How many events fill a batch, which is then sent at once. @default 100 */
  @IsCount(2)
  readonly batchEvents: number = 100;
}

/** The concurrency of the webhook sender. */
export class WebhookSenderSettings {
  /** Concurrent attempts of this process, at most half of them to failing or slow endpoints. @default 256 */
  @Optional()
  @IsCount(1)
  readonly concurrency?: number;
  /** Concurrent attempts to one endpoint. @default 8 */
  @Optional()
  @IsCount(1)
  readonly concurrencyPerEndpoint?: number;
  /** Interval of polling for webhooks that other processes stored, in milliseconds. @default 1000 */
  @Optional()
  @IsCount(1)
  readonly pollMs?: number;
  /** How long a shutdown waits for attempts that are due, in milliseconds. @default 5000 */
  @Optional()
  @IsCount()
  readonly shutdownMs?: number;
}

/** The settings of ChannelsModule. */
export class ChannelsSettings extends HostingSettings {
  /** The apps to serve, unless you provide an AppRepository. */
  @Optional()
  @Nested(() => App, { each: true })
  @rule(
    'fits',
    'must have limits.eventDataBytes of at least 1024 less than limits.messageBytes and limits.requestBytes of the module',
    (app, settings) => fits(app, settings as ChannelsSettings),
    { each: true },
  )
  readonly apps?: readonly AppConfig[];
  /** The id of the app of callers that name none, in all modules. @default the only app of `apps` */
  @Optional()
  @IsExactText()
  readonly defaultApp?: string;
  /**
   * The path before `/app/<key>` (pusher-js: `wsPath`), such as `/ws`. The HTTP API also answers below it. @default ''
   */
  @rule('isPlainPath', 'must consist of letters, digits, -, ., _, ~ and /', isPlainPath, {
    context: { shown: 'string' },
  })
  @rule('isSocketPath', 'must begin with / and not end with it', isSocketPath, { context: { shown: 'string' } })
  readonly path: string = '';
  /** Silence after which a connection is pinged, in seconds. @default 120 */
  @rule('isAboveZero', 'must be a number above 0', isAboveZero, { context: { shown: 'number' } })
  readonly activityTimeoutSeconds: number = 120;
  /** How long a pinged connection may take to answer, in seconds. @default 30 */
  @IsAmount(0)
  readonly pongTimeoutSeconds: number = 30;
  /** How long a cache channel keeps its last event, in seconds. @default 1800 */
  @IsAmount(0)
  readonly cacheTtlSeconds: number = 1800;
  /**
   * Ids of apps that only programs and pages of this machine may use, because their secrets are known: requests and
   * connections with another `Host` or `Origin` are refused. Names in `.localhost`, `.test` and `.internal` are this
   * machine's. @default none
   */
  @IsArray()
  @IsText({ each: true })
  readonly localOnly: readonly string[] = [];
  /**
   * The proxies in front of the application, whose `X-Forwarded-For` names the clients that open connections, such as
   * `10.0.0.7, 10.1.0.0/16` or `loopback`: set it where you set Fastify's `trustProxy`.
   * @default on Express the application's `trust proxy`, otherwise none
   */
  @Optional()
  @rule('isProxyList', proxyListRule, isProxyList, { context: { shown: 'string' } })
  readonly trustProxy?: string;
  /**
   * Compresses events of at least so many bytes for WebSocket clients that offer permessage-deflate, as browsers
   * do. 0: no event is compressed. @default 0
   */
  @IsCount(0)
  readonly compressFromBytes: number = 0;
  /** Closes clients that send no protocol version with 4008. @default false */
  @IsBoolean()
  readonly strictProtocol: boolean = false;
  /**
   * How long a shutdown takes to close its connections step by step, in seconds, if other processes can take the
   * clients; otherwise all are closed together, at the end. 0: at once. @default 10
   */
  @IsAmount(0)
  readonly drainSeconds: number = 10;
  /** How returning clients are sent what they missed. */
  @Nested(() => SessionSettings)
  readonly sessions: SessionSettings = new SessionSettings();
  /** How streams are sent. */
  @Nested(() => StreamSettings)
  readonly streams: StreamSettings = new StreamSettings();
  /** How the states of channels are read. */
  @Nested(() => StateSettings)
  readonly states: StateSettings = new StateSettings();
  /**
   * Lets the endpoints that answer an app's `requests` be at private addresses.
   * @default true if the environment has `ALLOW_PRIVATE_NETWORK=true`
   */
  @IsBoolean()
  readonly allowPrivateNetwork: boolean = process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
  /** How the requests of clients are answered. */
  @Nested(() => RequestSettings)
  readonly requests: RequestSettings = new RequestSettings();
  /** How long it is kept which users have received an event. */
  @Nested(() => ReceiptSettings)
  readonly receipts: ReceiptSettings = new ReceiptSettings();
  /** How events are sent that were triggered within transactions. */
  @Nested(() => TriggerRelaySettings)
  readonly triggerRelay: TriggerRelaySettings = new TriggerRelaySettings();
  /** How webhooks are sent. */
  @Nested(() => WebhookSettings)
  readonly webhooks: WebhookSettings = new WebhookSettings();
  /** The concurrency of the webhook sender. */
  @Nested(() => WebhookSenderSettings)
  readonly webhookSender: WebhookSenderSettings = new WebhookSenderSettings();
  @Nested(() => ChannelsLimits)
  readonly limits: ChannelsLimits = new ChannelsLimits();
}

/** The options of `ChannelsModule.forRoot`, without its ports. */
export type ChannelsOptions = Given<ChannelsSettings>;
