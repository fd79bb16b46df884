import type { DeviceOutcome, NewOutcomes, OutcomePage, OutcomeQuery } from './device-outcome.js';

/** The maximum number of outcomes kept over all publishes: memory must not grow with the audience. */
const most = 100_000;

/** The latest outcomes, which a {@link MemoryPublishOutbox} keeps. */
export class MemoryOutcomes {
  /** By publish, oldest first, and by device. */
  private readonly publishes = new Map<string, Map<string, DeviceOutcome & { readonly at: number }>>();
  private count = 0;

  constructor(private readonly limit = most) {}

  add(publishId: string, { at, devices }: NewOutcomes): void {
    const kept = this.publishes.get(publishId) ?? new Map<string, DeviceOutcome & { readonly at: number }>();
    this.publishes.set(publishId, kept);
    for (const device of devices) {
      this.count += kept.has(device.deviceId) ? 0 : 1;
      kept.set(device.deviceId, { ...device, at });
    }
    while (this.count > this.limit) this.dropFirst();
  }

  page(publishId: string, { after, limit, outcome }: OutcomeQuery): OutcomePage {
    const found = [...(this.publishes.get(publishId)?.values() ?? [])]
      .filter((device) => device.deviceId > after && device.outcome === (outcome ?? device.outcome))
      .sort((one, other) => (one.deviceId < other.deviceId ? -1 : 1));
    const devices = found.slice(0, limit).map(({ deviceId, outcome: became, reason }) => ({
      deviceId,
      outcome: became,
      ...(reason === undefined ? {} : { reason }),
    }));
    const last = devices.at(-1);
    return found.length > limit && last ? { devices, next: last.deviceId } : { devices };
  }

  forgetBefore(time: number): number {
    const before = this.count;
    for (const [publishId, kept] of this.publishes) {
      for (const [deviceId, { at }] of kept) if (at < time) this.count -= kept.delete(deviceId) ? 1 : 0;
      if (kept.size === 0) this.publishes.delete(publishId);
    }
    return before - this.count;
  }

  forget(publishId: string): void {
    this.count -= this.publishes.get(publishId)?.size ?? 0;
    this.publishes.delete(publishId);
  }

  private dropFirst(): void {
    for (const [publishId, kept] of this.publishes) {
      for (const deviceId of kept.keys()) {
        this.count -= kept.delete(deviceId) ? 1 : 0;
        return;
      }
      this.publishes.delete(publishId);
    }
  }
}
