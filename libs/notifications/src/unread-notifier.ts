import { Inject, Injectable, Logger } from '@nestjs/common';
import { pause } from '#common';
import { type App, Broker, HandledEvents } from 'rookery/internal/channels';
import { NotificationRepository } from './store/notification.repository.js';

/** The event on a user's channel about all of the user's notifications. */
export const unreadEvent = 'rookery:notifications';

/** The most ids in one event, so that it is never too large to be sent. */
const maxWithdrawn = 100;

/** How long a failed event is sent again, and the pauses in between: pages that miss more have reconnected. */
const againMs = 60_000;
const [firstPauseMs, longestPauseMs] = [100, 2000];

interface Pending {
  withdrawn: string[];
  /** Those of them that are gone from the feed, too. */
  readonly deleted: Set<string>;
  isDue: boolean;
}

/**
 * Tells a user's pages the number of unread notifications, and which ones to remove:
 * `{"unread":2,"withdrawn":["<id>"]}`, with `"deleted":["<id>"]` for those that were deleted. Sent one at a time per user, so that an
 * outdated count never arrives last; where other processes send counts, too, it is read again after it was sent.
 */
@Injectable()
export class UnreadNotifier {
  private readonly logger = new Logger('Notifications');
  private readonly pending = new Map<string, Pending>();

  constructor(
    private readonly repository: NotificationRepository,
    private readonly events: HandledEvents,
    @Inject(Broker) private readonly broker: Pick<Broker, 'isShared'>,
  ) {}

  /** Settles when the event is sent, or has failed: then it is sent again for a minute, with what changes meanwhile. */
  async notify(app: App, userId: string, withdrawn: readonly string[], areDeleted = false): Promise<void> {
    const key = JSON.stringify([app.id, userId]);
    const others = this.pending.get(key);
    const next = others ?? { withdrawn: [], deleted: new Set(), isDue: true };
    for (const id of withdrawn) {
      next.withdrawn.push(id);
      if (areDeleted) next.deleted.add(id);
    }
    next.isDue = true;
    if (others) return;
    this.pending.set(key, next);
    try {
      await this.notifyAll(key, app, userId, next);
    } catch (error) {
      this.logger.warn(`The count of unread notifications was not sent to a user of app ${app.id}: ${String(error)}`);
      void this.notifyAgain(key, app, userId, next);
    }
  }

  private async notifyAgain(key: string, app: App, userId: string, next: Pending): Promise<void> {
    const until = performance.now() + againMs;
    for (let pauseMs = firstPauseMs; performance.now() < until; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await pause(pauseMs);
      try {
        return await this.notifyAll(key, app, userId, next);
      } catch {
        // It is logged already.
      }
    }
    this.pending.delete(key);
  }

  private async notifyAll(key: string, app: App, userId: string, next: Pending): Promise<void> {
    while (next.isDue) await this.notifyOnce(app, userId, next);
    // Before anything else runs: what comes from now on begins anew.
    this.pending.delete(key);
  }

  private async notifyOnce(app: App, userId: string, next: Pending): Promise<void> {
    const withdrawn = next.withdrawn.splice(0, maxWithdrawn);
    const deleted = withdrawn.filter((id) => next.deleted.has(id));
    next.isDue = next.withdrawn.length > 0;
    try {
      const unread = await this.repository.unread(app.id, userId);
      const data = { unread, withdrawn, ...(deleted.length > 0 && { deleted }) };
      await this.events.send(app, this.events.check(app, userId, { name: unreadEvent, data }));
      // Another process may have sent a newer count before this one.
      if (this.broker.isShared !== false && (await this.repository.unread(app.id, userId)) !== unread)
        next.isDue = true;
    } catch (error) {
      next.withdrawn.unshift(...withdrawn);
      next.isDue = true;
      throw error;
    }
    for (const id of deleted) next.deleted.delete(id);
  }
}
