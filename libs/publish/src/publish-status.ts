import { type Platform, platforms } from 'rookery/push-device';
import { type Explanation, explanationsOf } from './explanations.js';
import { isPartitionOf } from './outbox/partition.js';
import { type PlatformTotals, platformTotals } from './outbox/platform-totals.js';
import type { PublishRecord, WaitingRetries } from './outbox/publish.outbox.js';
import { dueAtOf } from './publish.js';
import type { ReportCount } from './outbox/device-report.js';

/** The state of one platform's part of a publish. Counts are of devices. */
export interface PlatformStatus {
  /** Found so far. */
  readonly audience: number;
  /** Accepted by the gateway. */
  readonly sent: number;
  /** Failed for good, by reason. */
  readonly failed: Readonly<Record<string, number>>;
  /** Deferred by the gateway, to be tried again. */
  readonly retrying: number;
  /** ISO 8601: when the first of these is tried again; absent while others are still sent to for the first time. */
  readonly retryAt?: string;
  /** Removed because their token is gone. */
  readonly removedDevices: number;
  /** Devices that reported delivery, and devices that reported the open. */
  readonly delivered: number;
  readonly opened: number;
  /** Why nothing can be sent on this platform; absent if there is no problem. */
  readonly fault?: string;
  /** Why devices failed or wait, in words; absent if none do. */
  readonly explanations?: readonly Explanation[];
}

/** The answer of `GET …/publishes/<publishId>`. */
export interface PublishStatus {
  readonly publishId: string;
  /**
   * `scheduled`: its time has not come; `pending`: accepted; `sending`: being sent, or waiting for a retry; `finished`;
   * `cancelled`: nothing more is sent, and once `finishedAt` is set, the counts are final.
   */
  readonly state: 'scheduled' | 'pending' | 'sending' | 'finished' | 'cancelled';
  /** ISO 8601. */
  readonly createdAt: string;
  /** When it will be sent, if it was scheduled. */
  readonly publishAt?: string;
  readonly finishedAt?: string;
  readonly platforms: Partial<Record<Platform, PlatformStatus>>;
}

export function statusOf(
  record: PublishRecord,
  reports: readonly ReportCount[],
  waiting: readonly WaitingRetries[],
  now: number,
): PublishStatus {
  const { publish, finishedAt } = record;
  const wanted = platforms.filter((platform) => publish.payloads[platform] !== undefined);
  return {
    publishId: publish.id,
    state: stateOf(record, now),
    createdAt: new Date(publish.createdAt).toISOString(),
    ...(publish.publishAt === undefined ? {} : { publishAt: new Date(publish.publishAt).toISOString() }),
    ...(finishedAt === undefined ? {} : { finishedAt: new Date(finishedAt).toISOString() }),
    platforms: Object.fromEntries(wanted.map((one) => [one, platformStatus(one, record, reports, waiting)])),
  };
}

function stateOf({ publish, partitions, finishedAt, cancelledAt }: PublishRecord, now: number): PublishStatus['state'] {
  if (cancelledAt !== undefined) return 'cancelled';
  if (finishedAt !== undefined) return 'finished';
  if (partitions.length > 0) return 'sending';
  return dueAtOf(publish) > now ? 'scheduled' : 'pending';
}

function platformStatus(
  platform: Platform,
  { partitions, cancelledAt, finishedAt }: PublishRecord,
  reports: readonly ReportCount[],
  waiting: readonly WaitingRetries[],
): PlatformStatus {
  const partition = platformTotals(partitions, platform);
  const isPaged = partitions.every((each) => each.platform !== platform || each.paged);
  const own = waiting.filter((each) => isPartitionOf(platform, each.partition));
  const reported = (event: ReportCount['event']): number =>
    reports.find((one) => one.platform === platform && one.event === event)?.count ?? 0;
  const failed =
    cancelledAt === undefined || finishedAt === undefined ? (partition?.failed ?? {}) : withCancelled(partition);
  const retrying = own.reduce((sum, { count }) => sum + count, 0);
  const explanations = explanationsOf(platform, { ...partition, failed }, retrying);
  return {
    audience: partition?.audience ?? 0,
    sent: partition?.sent ?? 0,
    failed,
    retrying,
    ...(isPaged && retrying > 0 ? { retryAt: firstOf(own) } : {}),
    removedDevices: partition?.removed ?? 0,
    delivered: reported('delivery'),
    opened: reported('open'),
    ...(partition?.fault === undefined ? {} : { fault: partition.fault }),
    ...(explanations.length > 0 ? { explanations } : {}),
  };
}

const firstOf = (waiting: readonly WaitingRetries[]): string =>
  new Date(Math.min(...waiting.map(({ dueAt }) => dueAt))).toISOString();

/** Devices that waited for a retry when the publish was cancelled count as failed. */
function withCancelled(partition: PlatformTotals | undefined): PlatformTotals['failed'] {
  const { audience = 0, sent = 0, failed = {} } = partition ?? {};
  const left = Object.values(failed).reduce((rest, count) => rest - count, audience - sent);
  return left > 0 ? { ...failed, Cancelled: left } : failed;
}
