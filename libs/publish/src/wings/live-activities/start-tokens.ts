import { Injectable } from '@nestjs/common';
import {
  DeviceRemovals,
  DeviceRepository,
  DevicesService,
  platformOf,
  type RemovedDevice,
} from 'rookery/internal/push-device';
import { LiveActivityRepository } from './live-activity.repository.js';

/** The tokens with which Apple starts Live Activities. With a device, all its data goes. */
@Injectable()
export class StartTokens {
  constructor(
    private readonly activities: LiveActivityRepository,
    private readonly devices: DeviceRepository,
    deviceApi: DevicesService,
    removals: DeviceRemovals,
  ) {
    deviceApi.keepStartTokensBy((...registered) => this.set(...registered));
    removals.listen((removed) => this.forget(removed));
  }

  private async set(instanceId: string, deviceId: string, token: string): Promise<void> {
    await this.activities.setStartToken(instanceId, deviceId, token.toLowerCase());
    // Removed since it registered: its token was forgotten before it was kept.
    if (!(await this.devices.find(instanceId, 'apns', deviceId)))
      await this.activities.removeStartTokens(instanceId, [deviceId]);
  }

  private async forget(removed: readonly RemovedDevice[]): Promise<void> {
    const own = removed.filter(({ id }) => platformOf(id) === 'apns');
    for (const instanceId of new Set(own.map((device) => device.instanceId))) {
      const ids = own.filter((device) => device.instanceId === instanceId).map(({ id }) => id);
      await this.activities.removeStartTokens(instanceId, ids);
    }
  }
}
