import type { Platform } from 'rookery/push-device';
import type { Lane } from './lane.js';

/** A platform's totals so far, over all ranges. */
export type LaneTotals = Pick<Lane, 'audience' | 'sent' | 'failed' | 'fault'>;

/** All zero until the publish has a lane for the platform. */
export function laneTotals(lanes: readonly Lane[], platform: Platform): LaneTotals | undefined {
  const [first, ...others] = lanes.filter((lane) => lane.platform === platform);
  return first && others.reduce<LaneTotals>(added, first);
}

function added(one: LaneTotals, other: LaneTotals): LaneTotals {
  const failed = new Map(Object.entries(one.failed));
  for (const [reason, count] of Object.entries(other.failed)) failed.set(reason, (failed.get(reason) ?? 0) + count);
  const fault = one.fault ?? other.fault;
  return {
    audience: one.audience + other.audience,
    sent: one.sent + other.sent,
    failed: Object.fromEntries(failed),
    ...(fault === undefined ? {} : { fault }),
  };
}
