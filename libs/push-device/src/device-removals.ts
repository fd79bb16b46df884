import { Injectable, Logger } from '@nestjs/common';
import type { RemovedDevice } from './device.repository.js';

/**
 * Why a device was removed: by its own SDK or the host, with its user, because another device took its token, because
 * its gateway reported it gone, or because it was not seen for too long.
 */
export type RemovalReason = 'deleted' | 'user-deleted' | 'replaced' | 'unregistered' | 'unseen';

/** A listener for removed devices. */
export type RemovalListener = (devices: readonly RemovedDevice[], reason: RemovalReason) => Promise<void>;

/** Reports removed devices to its listeners. */
@Injectable()
export class DeviceRemovals {
  private readonly logger = new Logger('Devices');
  private readonly listeners: RemovalListener[] = [];

  listen(listener: RemovalListener): void {
    this.listeners.push(listener);
  }

  /** Settles when the listeners were called. Their failure undoes no removal. */
  async notify(devices: readonly RemovedDevice[], reason: RemovalReason): Promise<void> {
    if (devices.length === 0) return;
    for (const listener of this.listeners) await this.call(listener, devices, reason);
  }

  private async call(listener: RemovalListener, devices: readonly RemovedDevice[], reason: RemovalReason) {
    try {
      await listener(devices, reason);
    } catch (error) {
      this.logger.error(`A listener failed for removed devices: ${devices.map(({ id }) => id).join(', ')}`, error);
    }
  }
}
