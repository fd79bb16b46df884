import type { DeviceOutcome, NewOutcomes } from '../outbox/device-outcome.js';
import type { Retry } from '../outbox/partition.js';
import type { Settlement } from './partition-ledger.js';

/** The outcomes in a settlement; devices to try `again` have none yet. */
export function newOutcomes(
  { outcome, page, retried = [] }: Settlement,
  again: readonly Retry[],
  at: number,
): NewOutcomes {
  const devices: DeviceOutcome[] = outcome.sent.map(({ id }) => ({ deviceId: id, outcome: 'sent' }));
  for (const { device, reason } of outcome.failed) devices.push({ deviceId: device.id, outcome: 'failed', reason });
  if (page) return { of: 'page', at, devices: [...devices, ...waiting(outcome.later, again)] };
  const missing = new Set(retried);
  for (const { deviceId } of devices) missing.delete(deviceId);
  // They are already recorded as retrying.
  for (const { deviceId } of again) missing.delete(deviceId);
  for (const deviceId of missing) devices.push({ deviceId, outcome: 'failed', reason: 'Deleted' });
  return { of: 'retries', at, devices };
}

function waiting(later: Settlement['outcome']['later'], again: readonly Retry[]): readonly DeviceOutcome[] {
  if (again.length === 0) return [];
  const reasons = new Map(later.map(({ device, reason }) => [device.id, reason]));
  return again.map(({ deviceId }) => ({
    deviceId,
    outcome: 'retrying',
    reason: reasons.get(deviceId) ?? 'Unanswered',
  }));
}
