import { Injectable } from '@nestjs/common';
import { DeviceRemovals, DeviceRepository } from 'rookery/push-device';
import { PublishMetrics } from '../metrics.js';
import {
  GoneDeviceRepository,
  type HeldCount,
  type HeldDevice,
  type InstancePlatform,
} from './gone-device.repository.js';

/** Devices to remove per step; other writes can run between two steps. */
const batch = 100;

/** Lets an operator inspect, release or drop the held deletions. */
@Injectable()
export class HeldDeletions {
  constructor(
    private readonly gone: GoneDeviceRepository,
    private readonly devices: DeviceRepository,
    private readonly metrics: PublishMetrics,
    private readonly removals: DeviceRemovals,
  ) {
    metrics.showHeld(() => gone.totals());
  }

  /** The number of held devices, for each instance and platform with any. */
  totals(): Promise<readonly HeldCount[]> {
    return this.gone.totals();
  }

  /** Returns at most `limit` held devices. */
  list(of: InstancePlatform, limit: number): Promise<readonly HeldDevice[]> {
    return this.gone.held(of, limit);
  }

  /** Accepts a real wave of uninstalls: removes the held devices and restarts the count. Returns the number removed. */
  async release(of: InstancePlatform): Promise<number> {
    await this.gone.forgetAnswers(of);
    return this.removeWhile(of, async () => true);
  }

  /**
   * Removes held devices in steps while `isPlausible` returns true. It is called after a step's devices are read, so
   * that it considers the answers they came with. Returns the number of devices removed.
   */
  async removeWhile(of: InstancePlatform, isPlausible: () => Promise<boolean>): Promise<number> {
    let removed = 0;
    for (;;) {
      const held = await this.gone.held(of, batch);
      if (held.length === 0 || !(await isPlausible())) return removed;
      removed += await this.remove(of, held);
    }
  }

  /** The gateway was wrong: keeps all held devices. */
  async drop(of: InstancePlatform): Promise<void> {
    for (;;) {
      const held = await this.gone.held(of, batch);
      if (held.length === 0) return;
      for (const [publishId, devices] of byPublish(held)) await this.gone.settle(of, publishId, idsOf(devices), 0);
    }
  }

  private async remove(of: InstancePlatform, held: readonly HeldDevice[]): Promise<number> {
    let all = 0;
    for (const [publishId, devices] of byPublish(held)) {
      const removed = await this.devices.removeUnregistered(of.instanceId, devices);
      this.metrics.removedDevices.inc({ platform: of.platform }, removed.length);
      await this.removals.notify(removed, 'unregistered');
      await this.gone.settle(of, publishId, idsOf(devices), removed.length);
      all += removed.length;
    }
    return all;
  }
}

const idsOf = (devices: readonly HeldDevice[]): readonly string[] => devices.map(({ id }) => id);

const byPublish = (held: readonly HeldDevice[]): ReadonlyMap<string, readonly HeldDevice[]> => {
  const found = new Map<string, HeldDevice[]>();
  for (const device of held) found.set(device.publishId, [...(found.get(device.publishId) ?? []), device]);
  return found;
};
