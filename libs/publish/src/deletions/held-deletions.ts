import { Injectable } from '@nestjs/common';
import { DeviceRemovals, DeviceRepository } from 'rookery/push-device';
import { PublishMetrics } from '../metrics.js';
import {
  GoneDeviceRepository,
  type HeldCount,
  type HeldDevice,
  type InstancePlatform,
} from './gone-device.repository.js';

/** Devices of one step: between two steps others may write. */
const batch = 100;

/** The devices that are believed gone and wait for their removal: what a person can do about them. */
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

  /** How many are held, for each instance and platform that has any. */
  totals(): Promise<readonly HeldCount[]> {
    return this.gone.totals();
  }

  /** At most `limit` of those that are held. */
  list(of: InstancePlatform, limit: number): Promise<readonly HeldDevice[]> {
    return this.gone.held(of, limit);
  }

  /** Lets a real wave of uninstalls through: removes what is held, and counts anew from here. Answers how many went. */
  async release(of: InstancePlatform): Promise<number> {
    await this.gone.forgetAnswers(of);
    return this.removeWhile(of, async () => true);
  }

  /**
   * Removes what is held, step by step, as long as `isPlausible` says so; it is asked after each look at the devices, so
   * that it knows the answers that they came with. Answers how many devices were removed.
   */
  async removeWhile(of: InstancePlatform, isPlausible: () => Promise<boolean>): Promise<number> {
    let removed = 0;
    for (;;) {
      const held = await this.gone.held(of, batch);
      if (held.length === 0 || !(await isPlausible())) return removed;
      removed += await this.remove(of, held);
    }
  }

  /** The gateway's word was wrong: nobody of those that are held is removed. */
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
      await this.removals.tell(removed, 'unregistered');
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
