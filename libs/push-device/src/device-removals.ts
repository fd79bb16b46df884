import { Injectable, Logger } from '@nestjs/common';
import type { RemovedDevice } from './device.repository.js';

/**
 * Why a device was removed: its own SDK or the host did so, its user was deleted, another device has its token by now, its
 * gateway says that it is gone, or it was not seen for too long.
 */
export type RemovalReason = 'deleted' | 'user-deleted' | 'replaced' | 'unregistered' | 'unseen';

/** Hears of devices that were removed. */
export type RemovalListener = (devices: readonly RemovedDevice[], reason: RemovalReason) => Promise<void>;

/** Tells of devices that were removed, if anybody listens. */
@Injectable()
export class DeviceRemovals {
  private readonly logger = new Logger('Devices');
  private listener?: RemovalListener;

  listen(listener: RemovalListener): void {
    this.listener = listener;
  }

  /** Settles when it is told. That it could not be told undoes no removal. */
  async tell(devices: readonly RemovedDevice[], reason: RemovalReason): Promise<void> {
    if (!this.listener || devices.length === 0) return;
    try {
      await this.listener(devices, reason);
    } catch (error) {
      this.logger.error(`Nobody heard that devices were removed: ${devices.map(({ id }) => id).join(', ')}`, error);
    }
  }
}
