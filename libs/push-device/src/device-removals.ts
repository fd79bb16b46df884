import { Injectable, Logger } from '@nestjs/common';
import type { RemovedDevice } from './device.repository.js';

/**
 * Why a device was removed: by its own SDK or the host, with its user, because another device took its token, because
 * its gateway reported it gone, or because it was not seen for too long.
 */
export type RemovalReason = 'deleted' | 'user-deleted' | 'replaced' | 'unregistered' | 'unseen';

/** A listener for removed devices. */
export type RemovalListener = (devices: readonly RemovedDevice[], reason: RemovalReason) => Promise<void>;

/** Reports removed devices to the listener, if there is one. */
@Injectable()
export class DeviceRemovals {
  private readonly logger = new Logger('Devices');
  private listener?: RemovalListener;

  listen(listener: RemovalListener): void {
    this.listener = listener;
  }

  /** Settles when the listener was called. Its failure undoes no removal. */
  async tell(devices: readonly RemovedDevice[], reason: RemovalReason): Promise<void> {
    if (!this.listener || devices.length === 0) return;
    try {
      await this.listener(devices, reason);
    } catch (error) {
      this.logger.error(`The listener failed for removed devices: ${devices.map(({ id }) => id).join(', ')}`, error);
    }
  }
}
