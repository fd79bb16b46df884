import { Injectable, Logger } from '@nestjs/common';
import { type App, HandledEvents } from 'rookery/channels';
import { NotificationRepository } from './store/notification.repository.js';

/** The event of a user's channel that tells of all of the user's notifications. */
export const newsEvent = 'rookery:notifications';

interface Untold {
  withdrawn: string[];
  isDue: boolean;
}

/**
 * Tells a user's pages how many notifications are unread, and which to take away:
 * `{"unread":2,"withdrawn":["<id>"]}`. One at a time for each user, so that an older number does not come last.
 */
@Injectable()
export class NotificationNews {
  private readonly logger = new Logger('Notifications');
  private readonly untold = new Map<string, Untold>();

  constructor(
    private readonly repository: NotificationRepository,
    private readonly events: HandledEvents,
  ) {}

  /** Settles when it is told. Where that cannot be, the next news make up for it. */
  async tell(app: App, userId: string, withdrawn: readonly string[]): Promise<void> {
    const key = JSON.stringify([app.id, userId]);
    const others = this.untold.get(key);
    if (others) {
      for (const id of withdrawn) others.withdrawn.push(id);
      others.isDue = true;
      return;
    }
    const news: Untold = { withdrawn: [...withdrawn], isDue: true };
    this.untold.set(key, news);
    try {
      while (news.isDue) await this.tellOnce(app, userId, news);
    } catch (error) {
      this.logger.warn(`A user of app ${app.id} was not told of what is unread: ${String(error)}`);
    } finally {
      this.untold.delete(key);
    }
  }

  private async tellOnce(app: App, userId: string, news: Untold): Promise<void> {
    news.isDue = false;
    const withdrawn = news.withdrawn.splice(0);
    const unread = await this.repository.unread(app.id, userId);
    await this.events.send(app, this.events.check(app, userId, { name: newsEvent, data: { unread, withdrawn } }));
  }
}
