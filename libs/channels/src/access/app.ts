import { IsArray, IsBoolean, IsIn } from 'class-validator';
import { IsAmount, IsCount, IsText, IsTexts, IsWebAddress, Nested, Optional, OrNull, rule } from 'rookery/common';
import { AppLimits } from './app-limits.js';
import { HistoryRule, type HistoryRuleConfig } from './history-rule.js';
import { Twin } from './twin.js';
import { webhookEventNames } from './webhook-event-name.js';

const IsMasterKey = (): PropertyDecorator =>
  rule(
    'isMasterKey',
    'must be 32 bytes in Base64',
    (value) => typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value),
  );

/** Which channels a webhook is told of; what is left out lets every channel through. */
export class WebhookFilter {
  /** How the name of the channel must begin, such as `presence-`. */
  @Optional()
  @IsText()
  readonly channelNameStartsWith?: string;
  /** How it must end. */
  @Optional()
  @IsText()
  readonly channelNameEndsWith?: string;
  /**
   * Whether events about encrypted channels are sent. The PHP and Go libraries, given a master key, decrypt every event
   * of such a channel, also `channel_occupied`, which has no data: they reject the whole webhook. @default true
   */
  @Optional()
  @IsBoolean()
  readonly encryptedChannels?: boolean;
}

/** One webhook endpoint of an app (channels-wire §7). */
export class AppWebhook {
  /** With http or https. */
  @IsWebAddress()
  readonly url!: string;
  /** The event names it wants, such as `channel_occupied`; absent or empty: all. */
  @Optional()
  @IsArray()
  @IsIn(webhookEventNames, { each: true, context: { shown: 'string' } })
  readonly events?: readonly string[];
  /** The channels it wants; absent: all. */
  @Optional()
  @Nested(() => WebhookFilter)
  readonly filter?: WebhookFilter;
  /** Sent along with each request. */
  @Optional()
  @IsTexts()
  readonly headers?: Readonly<Record<string, string>>;
}

/** A further key of an app. */
export class AppKey {
  /** As clients and servers name it. */
  @IsText()
  readonly key!: string;
  /** Signs tokens and requests that name this key. */
  @IsText()
  readonly secret!: string;
}

/** An application of the Channels API: the unit that owns channels, users and connections. Nothing ever crosses. */
export class App {
  /** As it stands in the paths of the HTTP API. */
  @IsText()
  readonly id!: string;
  /** Public: clients connect with it. */
  @IsText()
  readonly key!: string;
  /** Signs requests, subscriptions and webhooks; only the customer's servers know it. */
  @IsText()
  readonly secret!: string;
  /**
   * Further keys that are good beside `key`. To replace a secret without a cut: the new pair becomes `key` and `secret`,
   * which sign webhooks, and the old one stands here until nobody uses it any more. @default none
   */
  @Nested(() => AppKey, { each: true })
  readonly keys: readonly AppKey[] = [];
  /** A disabled app is answered 403 over HTTP and closed with 4003. @default true */
  @IsBoolean()
  readonly enabled: boolean = true;
  /** Whether connections without TLS are closed with 4000; a proxy's `X-Forwarded-Proto` is believed. @default false */
  @IsBoolean()
  readonly tlsOnly: boolean = false;
  /** Whether connections may send `client-` events. @default false */
  @IsBoolean()
  readonly clientEvents: boolean = false;
  /** Whether counts of connections are sent to channels and answered over HTTP. @default false */
  @IsBoolean()
  readonly subscriptionCount: boolean = false;
  /** Hosts that browsers may connect from; `*` stands for any run of characters. @default ['*'] */
  @IsArray()
  @IsText({ each: true })
  readonly allowedOrigins: readonly string[] = ['*'];
  /** How many connections it may have at once; null: any number. @default null */
  @OrNull()
  @IsCount()
  readonly maxConnections: number | null = null;
  /** Whether signed-in users' watchlists are served (§3.7). @default true */
  @IsBoolean()
  readonly watchlist: boolean = true;
  /** Seconds within which a connection must sign in or join a private or presence channel; null: never (§1.5). @default null */
  @OrNull()
  @IsAmount(0)
  readonly authorizationTimeoutSeconds: number | null = null;
  /**
   * 32 bytes in Base64, as in the server libraries: the shared secrets of its encrypted channels are made of it. Only
   * AuthorizationModule reads it. @default null: no encrypted channels are authorized
   */
  @OrNull()
  @IsMasterKey()
  readonly encryptionMasterKeyBase64: string | null = null;
  /** Limits of its own in place of the module's. @default null */
  @OrNull()
  @Nested(() => AppLimits)
  readonly limits: AppLimits | null = null;
  /** Of which channels events are kept for clients that come back; of several rules, a channel has the first. @default none */
  @Nested(() => HistoryRule, { each: true })
  readonly history: readonly HistoryRuleConfig[] = [];
  /** The webhooks that report happenings on its channels. @default none */
  @Nested(() => AppWebhook, { each: true })
  readonly webhooks: readonly AppWebhook[] = [];
  /** Whether several webhook events travel in one body. @default false */
  @IsBoolean()
  readonly batchWebhooks: boolean = false;
  /** Who is told of all that servers trigger here too, such as the service that its clients come from. @default null */
  @OrNull()
  @Nested(() => Twin)
  readonly twin: Twin | null = null;
}

/** An app as it is configured: what is not said takes its default. */
export type AppConfig = Pick<App, 'id' | 'key' | 'secret'> & Partial<App>;

const defaults = new App();

/** @returns the app with every setting filled in: what is `undefined` or `null` takes its default */
export function appFrom(config: AppConfig): App {
  // Named one by one, since a class may have them as getters, which a spread leaves out.
  const names = Object.keys(defaults) as (keyof App)[];
  const settings = names.map((name) => [name, config[name] ?? defaults[name]] as const);
  return { ...config, ...(Object.fromEntries(settings) as unknown as App) };
}
