import { IsArray, IsBoolean, IsIn } from 'class-validator';
import {
  IsAmount,
  IsCount,
  IsExactText,
  IsHeaders,
  IsText,
  IsTimestamp,
  IsWebAddress,
  Nested,
  Optional,
  OrNull,
  rule,
} from '#common';
import { AppLimits } from './app-limits.js';
import { HistoryRule, type HistoryRuleConfig } from './history-rule.js';
import { Mirror } from '../wings/mirror/mirror.options.js';
import { RequestEndpoint } from '../wings/requests/endpoints.options.js';
import { isOriginPattern } from './origin-pattern.js';
import { webhookEventNames } from './webhook-event-name.js';

const IsMasterKey = (): PropertyDecorator =>
  rule(
    'isMasterKey',
    'must be 32 bytes in Base64',
    (value) => typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value),
  );

/** Which channels a webhook reports; omitted settings match every channel. */
export class WebhookFilter {
  /** The prefix of the name, such as `presence-`. */
  @Optional()
  @IsText()
  readonly channelNameStartsWith?: string;
  /** The suffix of the name. */
  @Optional()
  @IsText()
  readonly channelNameEndsWith?: string;
  /**
   * Reports encrypted channels. With a master key, PHP's and Go's libraries reject their events without data, such as
   * `channel_occupied`. @default true
   */
  @Optional()
  @IsBoolean()
  readonly encryptedChannels?: boolean;
}

/** One webhook endpoint of an app (channels-wire §7). */
export class AppWebhook {
  /** An http or https URL. */
  @IsWebAddress()
  readonly url!: string;
  /** The events to send. Absent or empty: all. */
  @Optional()
  @IsArray()
  @IsIn(webhookEventNames, { each: true, context: { shown: 'string' } })
  readonly events?: readonly string[];
  /** The channels to report; absent: all. */
  @Optional()
  @Nested(() => WebhookFilter)
  readonly filter?: WebhookFilter;
  /**
   * Adds `socket_id` to `member_added` and `member_removed`: the connection that joined first or left last. It is missing
   * if the connection's process has died. @default false
   */
  @Optional()
  @IsBoolean()
  readonly memberSocketIds?: boolean;
  /** Headers that are sent with each request. */
  @Optional()
  @IsHeaders()
  readonly headers?: Readonly<Record<string, string>>;
}

/** An additional key of an app, or an old secret of its key. */
export class AppKey {
  /** The key that clients and servers name. */
  @IsExactText()
  readonly key!: string;
  /** Signs requests, subscriptions and webhooks that name this key. */
  @IsExactText()
  readonly secret!: string;
  /** When the pair ceases to be valid, in RFC 3339: `2026-12-01T00:00:00Z`. @default never */
  @Optional()
  @IsTimestamp()
  readonly validUntil?: string;
}

/** An application of the Channels API. It owns channels, users and connections; apps are fully isolated. */
export class App {
  /** The id in the paths of the HTTP API. */
  @IsExactText()
  readonly id!: string;
  /** Public: clients connect with it. */
  @IsExactText()
  readonly key!: string;
  /** Signs requests, subscriptions and, without `keys`, webhooks. */
  @IsExactText()
  readonly secret!: string;
  /** Shown in the console. @default null: its id */
  @OrNull()
  @IsText()
  readonly name: string | null = null;
  /**
   * Older pairs that stay valid beside `key`, the latest first. The oldest valid one signs webhooks. @default none
   */
  @Nested(() => AppKey, { each: true })
  readonly keys: readonly AppKey[] = [];
  /** Serves the app. If false, requests are answered 403, and connections are closed with 4003. @default true */
  @IsBoolean()
  readonly enabled: boolean = true;
  /** Closes connections without TLS with 4000. A proxy's `X-Forwarded-Proto` is trusted. @default false */
  @IsBoolean()
  readonly tlsOnly: boolean = false;
  /** Allows clients to send `client-` events. @default false */
  @IsBoolean()
  readonly clientEvents: boolean = false;
  /** Sends `subscription_count` to channels, and returns it over HTTP. @default false */
  @IsBoolean()
  readonly subscriptionCount: boolean = false;
  /**
   * `GET /channels` answers `info=user_count,subscription_count` for all channels, not only `user_count` with a prefix
   * of presence channels. @default false
   */
  @IsBoolean()
  readonly countsInChannelList: boolean = false;
  /**
   * Hosts whose pages may connect; other pages are closed with 4009. Clients without an `Origin` always may. `*` matches
   * any characters. Write international names in punycode (`xn--…`) and IPv6 addresses in brackets (`[::1]`). `null`
   * allows sandboxed frames and local files, of any site. @default ['*']
   */
  @IsArray()
  @IsText({ each: true })
  @rule(
    'isOriginPattern',
    'must be a host as browsers send it, such as shop.example, *.shop.example, localhost:3000, ' +
      'xn--bcher-kva.example (punycode) or [::1], or an origin without a path, such as https://shop.example',
    isOriginPattern,
    { each: true, context: { shown: 'string' } },
  )
  readonly allowedOrigins: readonly string[] = ['*'];
  /** Simultaneous connections; further ones are closed with 4004. null: unlimited. @default null */
  @OrNull()
  @IsCount()
  readonly maxConnections: number | null = null;
  /** Serves watchlists: signed-in users learn which users of theirs are online (§3.7). @default true */
  @IsBoolean()
  readonly watchlist: boolean = true;
  /**
   * How long a client may take to sign in or to join a private or presence channel, in seconds; then it is closed with
   * 4009. Until then, a connection does not count towards `maxConnections`. null: unlimited (§1.5). @default null
   */
  @OrNull()
  @IsAmount(0)
  readonly authorizationTimeoutSeconds: number | null = null;
  /**
   * 32 bytes in Base64, from which AuthorizationModule, like the server libraries, derives the secrets of encrypted channels.
   * @default null: no encrypted channels are authorized
   */
  @OrNull()
  @IsMasterKey()
  readonly encryptionMasterKeyBase64: string | null = null;
  /**
   * Limits of this app, in place of `channels.limits`: `eventDataBytes`, `clientEventsPerSecond`, `presenceMembers`,
   * `triggersPerSecond`, `historyEvents`, `historySeconds` and `historyBytes`. @default null
   */
  @OrNull()
  @Nested(() => AppLimits)
  readonly limits: AppLimits | null = null;
  /** Channels that keep events for returning clients; the first match applies. @default none */
  @Nested(() => HistoryRule, { each: true })
  readonly history: readonly HistoryRuleConfig[] = [];
  /** Endpoints to which events are reported: those on the app's channels. @default none */
  @Nested(() => AppWebhook, { each: true })
  readonly webhooks: readonly AppWebhook[] = [];
  /** Sends several webhook events in one body: see `channels.webhooks.batchMs`. @default false */
  @IsBoolean()
  readonly batchWebhooks: boolean = false;
  /** A service that also receives all triggers. @default null */
  @OrNull()
  @Nested(() => Mirror)
  readonly mirror: Mirror | null = null;
  /** Endpoints that answer requests of the app's clients; the first match answers. @default none */
  @Nested(() => RequestEndpoint, { each: true })
  readonly requests: readonly RequestEndpoint[] = [];
}

/** An app as it is configured: omitted settings take their defaults. */
export type AppConfig = Pick<App, 'id' | 'key' | 'secret'> & Partial<App>;

/** An app, its settings as an AppRepository answers them, or its id. */
export type AppOrId = AppConfig | string;

const defaults = new App();

/** @returns the app with every setting filled in: `undefined` and `null` become the default */
export function appFrom(config: AppConfig): App {
  // Named one by one, because a class may define them as getters, which a spread omits.
  const names = Object.keys(defaults) as (keyof App)[];
  const settings = names.map((name) => [name, config[name] ?? defaults[name]] as const);
  return { ...config, ...(Object.fromEntries(settings) as unknown as App) };
}
