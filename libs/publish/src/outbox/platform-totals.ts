import type { Platform } from 'rookery/push-device';
import type { Partition } from './partition.js';

/** A platform's totals so far, over all ranges. */
export type PlatformTotals = Pick<Partition, 'audience' | 'sent' | 'failed' | 'removed' | 'fault' | 'deferral'>;

/** All zero until the publish has a partition for the platform. */
export function platformTotals(partitions: readonly Partition[], platform: Platform): PlatformTotals | undefined {
  const [first, ...others] = partitions.filter((partition) => partition.platform === platform);
  return first && others.reduce<PlatformTotals>(added, first);
}

function added(one: PlatformTotals, other: PlatformTotals): PlatformTotals {
  const failed = new Map(Object.entries(one.failed));
  for (const [reason, count] of Object.entries(other.failed)) failed.set(reason, (failed.get(reason) ?? 0) + count);
  const fault = one.fault ?? other.fault;
  const deferral = one.deferral ?? other.deferral;
  return {
    audience: one.audience + other.audience,
    sent: one.sent + other.sent,
    failed: Object.fromEntries(failed),
    removed: one.removed + other.removed,
    ...(fault === undefined ? {} : { fault }),
    ...(deferral === undefined ? {} : { deferral }),
  };
}
