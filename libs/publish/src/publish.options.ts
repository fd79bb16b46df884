import type { HostingOptions } from 'rookery/common';
import { type Platform, platforms } from 'rookery/push-device';

/** The settings of PublishModule. Every one has a default. */
export interface PublishOptions extends HostingOptions {
  /** Whether this process delivers publishes; one that only takes them leaves that to the others. @default true */
  readonly worker?: boolean;
  /** Devices of a publish that are sent to and not saved yet: what a crash may send twice. @default 1000 */
  readonly pageSize?: number;
  /** Publishes that this process works on at a time. @default 8 */
  readonly concurrentPublishes?: number;
  /** Sends under way at a time in this process, for each platform. @default { apns: 1000, fcm: 500, web: 200 } */
  readonly concurrency?: Partial<Readonly<Record<Platform, number>>>;
  /** How long a send may take before the next page no longer waits for it, in milliseconds. @default 1000 */
  readonly slowSendMs?: number;
  /** How long a publish works before others that wait get its place, in milliseconds. @default 2000 */
  readonly turnMs?: number;
  /** How long another process waits for the work of one that has died, in milliseconds. @default 10000 */
  readonly leaseMs?: number;
  /** How often to look for work that other processes took in or that has become due, in milliseconds. @default 1000 */
  readonly pollMs?: number;
  /** The wait before the second try, in milliseconds; it doubles from try to try. @default 1000 */
  readonly firstRetryMs?: number;
  /** The longest wait between two tries, in milliseconds, unless the gateway asks for more. @default 900000 */
  readonly longestRetryMs?: number;
  /** Devices of a publish and platform that may wait for another try before the next page waits too. @default 10000 */
  readonly waitingRetries?: number;
  /** The fewest sends in a page for the guard against mass deletion to look at it. @default 100 */
  readonly deletionGuardDevices?: number;
  /** The share of such a page, 0 to 1, that may be gone; above it deletion pauses. 1: no guard. @default 0.5 */
  readonly deletionGuardShare?: number;
  /** How long deletion pauses, in milliseconds. @default 3600000 */
  readonly deletionPauseMs?: number;
  /** How long a finished publish is remembered, in milliseconds. @default 2592000000, 30 days */
  readonly retentionMs?: number;
  /** How long an `Idempotency-Key` is remembered, in milliseconds. @default 86400000, 24 hours */
  readonly idempotencyMs?: number;
  /**
   * The only hosts that browsers may have their pushes sent to; `*.example.com` for those below one. Anybody can register
   * a device, also one whose endpoint puts every push off, which holds up the publishes it is in.
   * @default every public host; `knownPushServices` are those of the browser vendors
   */
  readonly webPushHosts?: readonly string[];
  /**
   * Lets `webhookUrl` and web push endpoints reach private addresses, for tests and closed networks.
   * @default whether the environment says `ALLOW_PRIVATE_NETWORK=true`
   */
  readonly allowPrivateNetwork?: boolean;
  /** Keep publishes in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  readonly allowMemoryInProduction?: boolean;
}

/** Injection token of the module's options. */
export const publishOptions = Symbol('PublishOptions');

/** Injection token of the clock: epoch milliseconds. */
export const publishClock = Symbol('PublishClock');
export type Clock = () => number;

const defaultConcurrency: Readonly<Record<Platform, number>> = { apns: 1000, fcm: 500, web: 200 };

/** The module's options with every default filled in. */
export class PublishSettings {
  readonly useGlobalPrefix: boolean;
  readonly allowGlobalGuards: boolean;
  readonly worker: boolean;
  readonly pageSize: number;
  readonly concurrentPublishes: number;
  readonly concurrency: Readonly<Record<Platform, number>>;
  readonly slowSendMs: number;
  readonly turnMs: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  readonly waitingRetries: number;
  readonly deletionGuardDevices: number;
  readonly deletionGuardShare: number;
  readonly deletionPauseMs: number;
  readonly retentionMs: number;
  readonly idempotencyMs: number;
  readonly webPushHosts: readonly string[] | undefined;
  readonly allowPrivateNetwork: boolean;
  readonly allowMemoryInProduction: boolean;

  constructor(options: PublishOptions = {}) {
    this.useGlobalPrefix = options.useGlobalPrefix ?? false;
    this.allowGlobalGuards = options.allowGlobalGuards ?? false;
    this.worker = options.worker ?? true;
    this.pageSize = atLeast(platforms.length, 'pageSize', options.pageSize ?? 1000);
    this.concurrentPublishes = atLeast(1, 'concurrentPublishes', options.concurrentPublishes ?? 8);
    this.concurrency = { ...defaultConcurrency, ...options.concurrency };
    for (const platform of platforms) atLeast(1, `concurrency.${platform}`, this.concurrency[platform]);
    this.slowSendMs = atLeast(1, 'slowSendMs', options.slowSendMs ?? 1000);
    this.turnMs = atLeast(0, 'turnMs', options.turnMs ?? 2000);
    this.leaseMs = atLeast(1000, 'leaseMs', options.leaseMs ?? 10_000);
    this.pollMs = atLeast(1, 'pollMs', options.pollMs ?? 1000);
    this.firstRetryMs = atLeast(1, 'firstRetryMs', options.firstRetryMs ?? 1000);
    this.longestRetryMs = atLeast(this.firstRetryMs, 'longestRetryMs', options.longestRetryMs ?? 900_000);
    this.waitingRetries = atLeast(1, 'waitingRetries', options.waitingRetries ?? 10_000);
    this.deletionGuardDevices = atLeast(1, 'deletionGuardDevices', options.deletionGuardDevices ?? 100);
    this.deletionGuardShare = atLeast(0, 'deletionGuardShare', options.deletionGuardShare ?? 0.5);
    this.deletionPauseMs = atLeast(0, 'deletionPauseMs', options.deletionPauseMs ?? 3_600_000);
    this.retentionMs = atLeast(0, 'retentionMs', options.retentionMs ?? 30 * 86_400_000);
    this.idempotencyMs = atLeast(0, 'idempotencyMs', options.idempotencyMs ?? 86_400_000);
    this.webPushHosts = options.webPushHosts;
    this.allowPrivateNetwork = options.allowPrivateNetwork ?? process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
    this.allowMemoryInProduction = options.allowMemoryInProduction ?? false;
  }
}

function atLeast(least: number, option: string, value: number): number {
  if (typeof value === 'number' && value >= least) return value;
  throw new Error(`PublishModule: ${option} must be a number of at least ${least}, got ${String(value)}`);
}
