import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { dropOldest, pause, settledIn } from '#common';
import { NotificationRepository } from './store/notification.repository.js';

interface Shown {
  readonly appId: string;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Stored concurrently; after a failure, one alone tries whether the storage is back. */
const atOnce = 50;
/** How many may wait for the storage; beyond it, the oldest are dropped, and pushed. */
const maxWaiting = 10_000;
/** How long to wait after a failure, in milliseconds: twice as long each time. */
const [firstPauseMs, longestPauseMs] = [100, 2000];
/** How long a shutdown may wait for them. */
const shutdownMs = 2000;

/**
 * Records which notifications a page has shown. While the storage is away, acknowledgements wait here, and none of them
 * is pushed by this process: a user who has seen a notification is not notified again.
 */
@Injectable()
export class ShownNotifications implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Notifications');
  /** By app and id, the oldest first. */
  private readonly waiting = new Map<string, Shown>();
  private storing: Promise<void> | undefined;

  constructor(private readonly repository: NotificationRepository) {}

  add(appId: string, id: string): void {
    this.waiting.set(keyOf(appId, id), { appId, id, at: Date.now() });
    dropOldest(this.waiting, maxWaiting);
    this.storing ??= this.storeAll();
  }

  /** Records it now, if it waits. @returns whether it did; throws what the storage throws */
  async stored(appId: string, id: string): Promise<boolean> {
    const shown = this.waiting.get(keyOf(appId, id));
    if (shown) await this.store(shown);
    return shown !== undefined;
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.storing && !(await settledIn(this.storing, shutdownMs)))
      this.logger.warn(`${this.waiting.size} notifications were shown, but that could not be stored: they are pushed`);
  }

  private async storeAll(): Promise<void> {
    for (let pauseMs = 0; this.waiting.size > 0;) {
      try {
        await Promise.all(
          [...this.waiting.values()].slice(0, pauseMs === 0 ? atOnce : 1).map((one) => this.store(one)),
        );
        pauseMs = 0;
      } catch (error) {
        if (pauseMs === 0) this.logger.warn(`Shown notifications cannot be stored, and wait: ${String(error)}`);
        pauseMs = Math.min(2 * pauseMs || firstPauseMs, longestPauseMs);
        await pause(pauseMs);
      }
    }
    // Before anything else runs: what comes from now on begins anew.
    this.storing = undefined;
  }

  private async store(shown: Shown): Promise<void> {
    await this.repository.shown(shown.appId, shown.id, shown.at);
    this.waiting.delete(keyOf(shown.appId, shown.id));
  }
}

const keyOf = (appId: string, id: string): string => `${appId.length} ${appId} ${id}`;
