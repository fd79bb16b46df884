import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { dropOldest, pause } from '#common';
import type { RemovedDevice } from './device.repository.js';

/**
 * Why a device was removed: by its own SDK or the host, with its user, because another device took its token, because
 * its gateway reported it gone, or because it was not seen for too long.
 */
export type RemovalReason = 'deleted' | 'user-deleted' | 'replaced' | 'unregistered' | 'unseen';

/** A listener for removed devices. It is called again when it fails. */
export type RemovalListener = (devices: readonly RemovedDevice[], reason: RemovalReason) => Promise<void>;

/** A call of a listener that failed. */
interface OwedCall {
  readonly listener: RemovalListener;
  readonly devices: readonly RemovedDevice[];
  readonly reason: RemovalReason;
}

const [firstPauseMs, longestPauseMs] = [1000, 30_000];
/** How many failed calls are repeated; beyond it, the oldest are dropped. */
const maxOwed = 10_000;

/** Reports removed devices to its listeners. */
@Injectable()
export class DeviceRemovals implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Devices');
  private readonly listeners: RemovalListener[] = [];
  /** The devices are removed already, and no other call reports them. */
  private readonly owed = new Set<OwedCall>();
  private isRepeating = false;

  listen(listener: RemovalListener): void {
    this.listeners.push(listener);
  }

  /** Settles when the listeners were called. Their failure undoes no removal. */
  async notify(devices: readonly RemovedDevice[], reason: RemovalReason): Promise<void> {
    if (devices.length === 0) return;
    for (const listener of this.listeners) await this.call({ listener, devices, reason });
  }

  /** Settles when it was asked which of the devices are gone, and the listeners were called for these. */
  async notifyOfGone(
    devices: readonly RemovedDevice[],
    reason: RemovalReason,
    isGone: (device: RemovedDevice) => Promise<boolean>,
  ): Promise<void> {
    if (devices.length === 0) return;
    // Asked again when it fails, as a listener is.
    const listener = async (): Promise<void> => {
      const areGone = await Promise.all(devices.map(isGone));
      await this.notify(
        devices.filter((_, n) => areGone[n]),
        reason,
      );
    };
    await this.call({ listener, devices, reason });
  }

  /** Tries once more, before the storage shuts down. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const call of this.owed) await this.isDone(call);
    this.owed.clear();
  }

  private async call(call: OwedCall): Promise<void> {
    if (await this.isDone(call)) return;
    this.owed.add(call);
    dropOldest(this.owed, maxOwed);
    void this.repeatAll();
  }

  private async repeatAll(): Promise<void> {
    if (this.isRepeating) return;
    this.isRepeating = true;
    for (let pauseMs = firstPauseMs; this.owed.size > 0;) {
      if (pauseMs > 0) await pause(pauseMs);
      const [call] = this.owed;
      if (!call) break;
      const isDone = await this.isDone(call);
      this.owed.delete(call);
      // One that fails for ever does not stand in the way of the others.
      if (!isDone) this.owed.add(call);
      pauseMs = isDone ? 0 : Math.min(2 * pauseMs || firstPauseMs, longestPauseMs);
    }
    this.isRepeating = false;
  }

  private async isDone({ listener, devices, reason }: OwedCall): Promise<boolean> {
    try {
      await listener(devices, reason);
      return true;
    } catch (error) {
      const ids = devices.map(({ id }) => id).join(', ');
      this.logger.error(`A listener failed for removed devices and will be called again: ${ids}`, error);
      return false;
    }
  }
}
