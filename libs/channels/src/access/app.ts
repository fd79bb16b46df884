/** One webhook endpoint of an app (channels-wire §7). */
export interface AppWebhook {
  readonly url: string;
  /** The event names it wants, such as `channel_occupied`; absent or empty: all. */
  readonly events?: readonly string[];
  /** Sent along with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An application of the Channels API: the unit that owns channels, users and connections. Nothing ever crosses. */
export interface App {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  /** A disabled app is answered 403 over HTTP and closed with 4003. */
  readonly enabled: boolean;
  /** Whether connections without TLS are closed with 4000; a proxy's `X-Forwarded-Proto` is believed. */
  readonly tlsOnly: boolean;
  /** Whether connections may send `client-` events. */
  readonly clientEvents: boolean;
  /** Whether counts of connections are sent to channels and answered over HTTP. */
  readonly subscriptionCount: boolean;
  /** Hosts that browsers may connect from; `*` stands for any run of characters. */
  readonly allowedOrigins: readonly string[];
  /** How many connections it may have at once; null: any number. */
  readonly maxConnections: number | null;
  /** Whether signed-in users' watchlists are served (§3.7). */
  readonly watchlist: boolean;
  /** Seconds within which a connection must sign in or join a private or presence channel; null: never (§1.5). */
  readonly authorizationTimeoutSeconds: number | null;
  readonly webhooks: readonly AppWebhook[];
  /** Whether several webhook events travel in one body. */
  readonly batchWebhooks: boolean;
}

/** An app as it is configured: what is not said takes its default. */
export type AppConfig = Pick<App, 'id' | 'key' | 'secret'> & Partial<App>;

/** @returns the app with every setting filled in */
export function appFrom(config: AppConfig): App {
  return {
    ...config,
    // Named, since a class may have them as getters, which a spread leaves out.
    id: config.id,
    key: config.key,
    secret: config.secret,
    enabled: config.enabled ?? true,
    tlsOnly: config.tlsOnly ?? false,
    clientEvents: config.clientEvents ?? false,
    subscriptionCount: config.subscriptionCount ?? false,
    allowedOrigins: config.allowedOrigins ?? ['*'],
    maxConnections: config.maxConnections ?? null,
    watchlist: config.watchlist ?? true,
    authorizationTimeoutSeconds: config.authorizationTimeoutSeconds ?? null,
    webhooks: config.webhooks ?? [],
    batchWebhooks: config.batchWebhooks ?? false,
  };
}
