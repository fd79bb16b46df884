import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Sweeps } from '#common';
import { setImmediate as turn } from 'node:timers/promises';
import { DeviceRemovals } from './device-removals.js';
import { DeviceRepository, seenOnceMs } from './device.repository.js';
import { PushDeviceSettings } from './push-device.options.js';

const dayMs = 86_400_000;
const everyMs = dayMs / 4;
/** Devices examined in one step; other writes can run between two steps. */
const batch = 100;

/** Removes devices that were not seen for `expireUnseenAfterDays`, if set. */
@Injectable()
export class UnseenDevices implements BeforeApplicationShutdown, OnApplicationBootstrap {
  private readonly logger = new Logger('UnseenDevices');
  private readonly sweeps = new Sweeps(
    async () => void (await this.sweep()),
    everyMs,
    this.logger,
    'Could not look for unseen devices',
  );

  constructor(
    private readonly settings: PushDeviceSettings,
    private readonly devices: DeviceRepository,
    private readonly removals: DeviceRemovals,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.expireUnseenAfterDays !== undefined) {
      this.sweeps.start();
      this.sweeps.wake();
    }
  }

  /** Before the other providers shut down: a step under way still needs the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
  }

  /** Examines every device once, and answers how many it removed. */
  async sweep(now = Date.now()): Promise<number> {
    const { expireUnseenAfterDays = Infinity } = this.settings;
    // The latest sighting may be later than stored, by the time during which it is not written again.
    const before = now - expireUnseenAfterDays * dayMs - seenOnceMs;
    let all = 0;
    for (let after: string | undefined = ''; after !== undefined && !this.sweeps.areStopped; await turn()) {
      const { removed, last } = await this.devices.removeUnseen({ before, now, after, limit: batch });
      await this.removals.notify(removed, 'unseen');
      all += removed.length;
      after = last;
    }
    if (all > 0) this.logger.log(`Removed ${all} devices that were not seen for ${expireUnseenAfterDays} days`);
    return all;
  }
}
