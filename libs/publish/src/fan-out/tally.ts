import type { PublishTarget } from 'rookery/push-device';
import type { Partition } from '../outbox/partition.js';
import type { PageOutcome } from './page-outcome.js';
import { UserMarks } from '../outbox/user-marks.js';

/** Limits the number of reasons from gateways: further ones are counted together. */
const maxReasons = 50;

/** The partition after a page: with the new counts, the marks of its users, and why devices wait. */
export function tally(partition: Partition, { sent, failed, later }: PageOutcome, target: PublishTarget): Partition {
  const marks = new UserMarks(target, partition.users);
  for (const { userId } of sent) marks.mark(userId, 'd');
  for (const { device } of failed) marks.mark(device.userId, 'f');
  // Not yet reached: a later try may improve it.
  for (const { device } of later) marks.mark(device.userId, 'f');
  const reasons = failed.map(({ reason }) => reason);
  return {
    ...partition,
    sent: partition.sent + sent.length,
    failed: counted(partition.failed, reasons),
    users: marks.toString(),
    ...(later.length > 0 && { deferral: mostFrequent(later.map(({ reason }) => reason)) }),
  };
}

function mostFrequent(reasons: readonly string[]): string {
  const [[reason] = ['']] = Object.entries(counted({}, reasons)).toSorted(([, one], [, other]) => other - one);
  return reason;
}

function counted(before: Partition['failed'], reasons: readonly string[]): Partition['failed'] {
  const counts = new Map(Object.entries(before));
  for (const said of reasons) {
    const reason = counts.has(said) || counts.size < maxReasons ? said : 'other';
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
