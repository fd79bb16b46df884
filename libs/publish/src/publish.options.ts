import { IsArray, IsBoolean } from 'class-validator';
import { type Given, IsAmount, IsCount, isHostPattern, IsText, IsWebAddress, Nested, Optional, rule } from '#common';
import { HostingSettings } from '#http';
import { type Platform, platforms } from 'rookery/push-device';

/**
 * The push services of the browsers (beams-wire §11.3): Chrome and those built on Chromium, Firefox, Safari, Edge on
 * Windows. Chromium without Google's keys subscribes at jmt17.google.com.
 */
export const knownPushServices: readonly string[] = Object.freeze([
  'fcm.googleapis.com',
  'jmt17.google.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
]);

/** Concurrent sends of one instance in one process; all instances together get a ninth more. */
export class PublishConcurrency implements Record<Platform, number> {
  /** Concurrent sends to Apple. @default 1000 */
  @IsCount(1)
  readonly apns: number = 1000;
  /** Concurrent sends to Google. @default 500 */
  @IsCount(1)
  readonly fcm: number = 500;
  /** Concurrent sends to browsers' push services. @default 200 */
  @IsCount(1)
  readonly web: number = 200;
}

const isLongest = (longestMs: unknown, settings: object): boolean =>
  Number(longestMs) >= (settings as PublishSettings).firstRetryMs;

/** The settings of PublishModule. Every one has a default. */
export class PublishSettings extends HostingSettings {
  /**
   * Whether this process delivers publishes; one that only accepts them leaves delivery to the others. @default true
   */
  @IsBoolean()
  readonly worker: boolean = true;
  /**
   * Devices of a publish that are sent to before its progress is saved. After a crash, so many may get it twice. @default
   * 1000
   */
  @IsCount(platforms.length)
  readonly pageSize: number = 1000;
  /** How many publishes this process sends concurrently. @default 8 */
  @IsCount(1)
  readonly concurrentPublishes: number = 8;
  /**
   * Concurrent sends of this process for one instance. All instances together get a ninth more.
   * @default { apns: 1000, fcm: 500, web: 200 }
   */
  @Nested(() => PublishConcurrency)
  readonly concurrency: PublishConcurrency = new PublishConcurrency();
  /**
   * Messages of one Firebase project in a minute, from all processes that share `requestRates`; further ones wait.
   * 600,000 is Google's default quota; `Infinity` leaves it to Google to refuse. @default 600000
   */
  @IsCount(60)
  readonly fcmPerMinute: number = 600_000;
  /** How long the next page of devices waits for slow sends of this one, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly slowSendMs: number = 1000;
  /** How long a publish is sent before a waiting one gets its turn, in milliseconds. @default 2000 */
  @IsCount(0)
  readonly turnMs: number = 2000;
  /** How long until another process takes over the work of one that died, in milliseconds. @default 10000 */
  @IsCount(1000)
  readonly leaseMs: number = 10_000;
  /** Interval of polling for publishes that are due or that other processes stored, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly pollMs: number = 1000;
  /** How long to wait before the second attempt, in milliseconds; it doubles each time. @default 1000 */
  @IsCount(1)
  readonly firstRetryMs: number = 1000;
  /** The longest wait before an attempt, in milliseconds, unless the gateway asks for more. @default 900000 */
  @IsCount(1)
  @rule('isLongest', 'must not be less than firstRetryMs', isLongest, { context: { shown: 'number' } })
  readonly longestRetryMs: number = 900_000;
  /**
   * How many devices of a publish and platform may wait for a retry; beyond it, the next page waits. Where processes share
   * a large publish, this applies to each part. @default 10000
   */
  @IsCount(1)
  readonly waitingRetries: number = 10_000;
  /**
   * While fewer devices are gone among a gateway's last thousand answers, they are removed at once. From so many on,
   * `deletionGuardShare` applies. @default 10
   */
  @IsCount(1)
  readonly deletionGuardDevices: number = 10;
  /**
   * The highest plausible share of gone devices in a page, 0 to 1. Beyond it, they stay and are tried again, because the
   * credentials may be wrong. @default 0.5
   */
  @IsAmount(0, 1)
  readonly deletionGuardShare: number = 0.5;
  /** How long a gone device that stays is tried again before it is removed, in milliseconds. @default 604800000, 7 days */
  @IsCount(0)
  readonly removeGoneAfterMs: number = 7 * 86_400_000;
  /** How long finished publishes are kept, in milliseconds. @default 2592000000, 30 days */
  @IsCount(0)
  readonly retentionMs: number = 30 * 86_400_000;
  /** How long the outcome of each device is kept, in milliseconds; 0: none is kept. @default 259200000, 3 days */
  @IsCount(0)
  readonly outcomeRetentionMs: number = 3 * 86_400_000;
  /** How long an `Idempotency-Key` is kept, in milliseconds. @default 86400000, 24 hours */
  @IsCount(0)
  readonly idempotencyMs: number = 86_400_000;
  /**
   * Publishes waiting for a worker, over all instances; further ones are answered 429. Counted once a second.
   * @default Infinity
   */
  @IsCount(1)
  readonly maxWaitingPublishes: number = Infinity;
  /**
   * Waiting webhooks, over all instances; beyond that, the oldest of the busiest endpoints are given up. Counted every
   * five seconds. @default 100000
   */
  @IsCount(1)
  readonly maxWaitingWebhooks: number = 100_000;
  /** Given-up webhooks kept per instance; beyond that, the oldest are dropped. 0: none. @default 10000 */
  @IsCount(0, 100_000)
  readonly deadLetters: number = 10_000;
  /** The bytes of an instance's given-up webhooks; beyond that, the oldest are dropped. @default 16777216, 16 MB */
  @IsCount(0, 1_073_741_824)
  readonly deadLetterBytes: number = 16 * 1024 * 1024;
  /** How long given-up webhooks are kept, in milliseconds. @default 1209600000, 14 days */
  @IsCount(0, 31_536_000_000)
  readonly deadLetterMs: number = 14 * 86_400_000;
  /**
   * The only hosts to which web pushes are sent: `push.example.com`, `*.example.com` for subdomains, or `*` for every
   * public host, and for private ones with `ALLOW_PRIVATE_NETWORK=true`. @default those of the browser vendors, `knownPushServices`
   */
  @IsArray()
  @IsText({ each: true })
  @rule('isHost', "must be a host such as 'push.example.com', '*.example.com' or '*'", isHostPattern, {
    each: true,
    context: { shown: 'string' },
  })
  readonly webPushHosts: readonly string[] = knownPushServices;
  /**
   * Where browsers reach this server: `https://push.example.com`. Links of notifications that Safari shows itself lead
   * there first, to count openings. @default none: they lead straight to the `deep_link`
   * of the publish
   */
  @Optional()
  @IsWebAddress()
  readonly publicUrl?: string;
  /**
   * Lets `webhookUrl` and web push endpoints reach private addresses, for tests and closed networks.
   * @default true if the environment has `ALLOW_PRIVATE_NETWORK=true`
   */
  @IsBoolean()
  readonly allowPrivateNetwork: boolean = process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
  /** Keep publishes in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  @IsBoolean()
  readonly allowMemoryInProduction: boolean = false;
}

/** What `PublishModule.forRoot` takes besides its ports. */
export type PublishOptions = Given<PublishSettings>;

/** Injection token of the clock: epoch milliseconds. */
export const publishClock = Symbol('PublishClock');
/** Injection token of the clock for durations, in milliseconds: it never goes backwards. */
export const steadyClock = Symbol('SteadyClock');
export type Clock = () => number;
