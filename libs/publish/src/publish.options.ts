import { IsArray, IsBoolean } from 'class-validator';
import { type Given, HostingSettings, IsAmount, IsCount, isHostPattern, IsText, Nested, rule } from 'rookery/common';
import { type Platform, platforms } from 'rookery/push-device';
import { knownPushServices } from './delivery/web/known-push-services.js';

/** Sends under way at a time in one process, of one instance; a ninth more of all together. */
export class PublishConcurrency implements Record<Platform, number> {
  /** Notifications under way at once to Apple. @default 1000 */
  @IsCount(1)
  readonly apns: number = 1000;
  /** Notifications under way at once to Google. @default 500 */
  @IsCount(1)
  readonly fcm: number = 500;
  /** Notifications under way at once to the browsers' push services. @default 200 */
  @IsCount(1)
  readonly web: number = 200;
}

const isLongest = (longestMs: unknown, settings: object): boolean =>
  Number(longestMs) >= (settings as PublishSettings).firstRetryMs;

/** The settings of PublishModule. Every one has a default. */
export class PublishSettings extends HostingSettings {
  /** Whether this process delivers publishes; one that only takes them leaves that to the others. @default true */
  @IsBoolean()
  readonly worker: boolean = true;
  /** Devices of a publish that a process has sent to and not saved yet: what its crash may send twice. @default 1000 */
  @IsCount(platforms.length)
  readonly pageSize: number = 1000;
  /** Publishes that this process works on at a time. @default 8 */
  @IsCount(1)
  readonly concurrentPublishes: number = 8;
  /**
   * Sends of an instance that may be under way at a time in this process, for each platform. Of several instances that
   * want as many, each gets its share.
   * @default { apns: 1000, fcm: 500, web: 200 }
   */
  @Nested(() => PublishConcurrency)
  readonly concurrency: PublishConcurrency = new PublishConcurrency();
  /** How long a send may take before the next page no longer waits for it, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly slowSendMs: number = 1000;
  /** How long a publish works before others that wait get its place, in milliseconds. @default 2000 */
  @IsCount(0)
  readonly turnMs: number = 2000;
  /** How long another process waits for the work of one that has died, in milliseconds. @default 10000 */
  @IsCount(1000)
  readonly leaseMs: number = 10_000;
  /** How often to look for work that other processes took in or that has become due, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly pollMs: number = 1000;
  /** The wait before the second try, in milliseconds; it doubles from try to try. @default 1000 */
  @IsCount(1)
  readonly firstRetryMs: number = 1000;
  /** The longest wait between two tries, in milliseconds, unless the gateway asks for more. @default 900000 */
  @IsCount(1)
  @rule('isLongest', 'must not be less than firstRetryMs', isLongest, { context: { shown: 'number' } })
  readonly longestRetryMs: number = 900_000;
  /** Devices of a publish and platform that may wait for another try before the next page waits too. @default 10000 */
  @IsCount(1)
  readonly waitingRetries: number = 10_000;
  /** The fewest devices that come back as gone in `deletionWindowMs` for the guard against mass deletion. @default 10 */
  @IsCount(1)
  readonly deletionGuardDevices: number = 10;
  /** The share of a gateway's answers, 0 to 1, that may say gone; above it deletions wait. 1: no guard. @default 0.5 */
  @IsAmount(0, 1)
  readonly deletionGuardShare: number = 0.5;
  /** How far back the guard counts an instance's answers on a platform, in milliseconds. @default 86400000, 24 hours */
  @IsCount(1)
  readonly deletionWindowMs: number = 86_400_000;
  /** How long a finished publish is remembered, in milliseconds. @default 2592000000, 30 days */
  @IsCount(0)
  readonly retentionMs: number = 30 * 86_400_000;
  /**
   * How long the outcome of each device of a publish is remembered, in milliseconds; 0: they are not recorded.
   * @default 259200000, 3 days
   */
  @IsCount(0)
  readonly outcomeRetentionMs: number = 3 * 86_400_000;
  /** How long an `Idempotency-Key` is remembered, in milliseconds. @default 86400000, 24 hours */
  @IsCount(0)
  readonly idempotencyMs: number = 86_400_000;
  /**
   * Publishes that may wait for a worker, over all instances; the next are answered 429. Counted once a second.
   * @default Infinity
   */
  @IsCount(1)
  readonly maxWaitingPublishes: number = Infinity;
  /**
   * Webhooks that may wait, over all instances; beyond it, the earliest of the endpoints with the most are given up.
   * Counted every five seconds. @default 100000
   */
  @IsCount(1)
  readonly maxWaitingWebhooks: number = 100_000;
  /** Webhooks of an instance that are kept when they were given up; beyond it, the oldest go. 0: none. @default 1000 */
  @IsCount(0, 100_000)
  readonly deadLetters: number = 1000;
  /** How long they are kept, in milliseconds. @default 1209600000, 14 days */
  @IsCount(0, 31_536_000_000)
  readonly deadLetterMs: number = 14 * 86_400_000;
  /**
   * The only hosts that browsers may have their pushes sent to: `push.example.com`, `*.example.com` for those below one,
   * `*` for every public host. Anybody can register a device, also one whose endpoint answers never. With
   * `allowPrivateNetwork`, hosts with private addresses are asked besides.
   * @default those of the browser vendors, `knownPushServices`
   */
  @IsArray()
  @IsText({ each: true })
  @rule('isHost', "must be a host such as 'push.example.com', '*.example.com' or '*'", isHostPattern, {
    each: true,
    context: { shown: 'string' },
  })
  readonly webPushHosts: readonly string[] = knownPushServices;
  /**
   * Lets `webhookUrl` and web push endpoints reach private addresses, for tests and closed networks.
   * @default whether the environment says `ALLOW_PRIVATE_NETWORK=true`
   */
  @IsBoolean()
  readonly allowPrivateNetwork: boolean = process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
  /** Keep publishes in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  @IsBoolean()
  readonly allowMemoryInProduction: boolean = false;
}

/** What `PublishModule.forRoot` takes besides its ports. */
export type PublishOptions = Given<PublishSettings>;

/** Injection token of the module's options. */
export const publishOptions = Symbol('PublishOptions');

/** Injection token of the clock: epoch milliseconds. */
export const publishClock = Symbol('PublishClock');
/** Injection token of the clock for durations, in milliseconds: it is never set back. */
export const steadyClock = Symbol('SteadyClock');
export type Clock = () => number;
