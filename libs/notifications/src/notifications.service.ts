import { Injectable } from '@nestjs/common';
import type { App, AppOrId } from 'rookery/channels';
import { isStorable } from '#common';
import type { HostTransaction } from 'rookery/jobs';
import { NotificationsMetrics } from './metrics.js';
import type { NotificationBody } from './notification-body.js';
import type { FeedQuery, LatestQuery, NotificationFeed } from './notification-feed.js';
import { NotificationSender } from './notification-sender.js';
import { UnreadNotifier } from './unread-notifier.js';
import { type NotificationStatus, statusOf } from './notification-status.js';
import { NotificationWorker } from './notification.worker.js';
import { notificationNotFound } from './notifications.errors.js';
import { type NotifyingApp, NotifyingApps, withdrawsOf } from './notifying-apps.js';
import { ReadLinks } from './read-links.js';
import type { NotificationRecord } from './store/notification.js';
import { NotificationRepository } from './store/notification.repository.js';

export interface NotifyOptions {
  /**
   * A transaction of yours on the database of the NotificationRepository: TypeORM's EntityManager. The notification
   * exists once it is committed, and never if it is rolled back.
   */
  readonly within?: HostTransaction;
}

/** How many notifications are marked as read, or deleted, in one transaction. */
const atOnce = 1000;

/** Notifies each user once: on an open page, otherwise by push. Also for the host's own code. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly apps: NotifyingApps,
    private readonly repository: NotificationRepository,
    private readonly sender: NotificationSender,
    private readonly unreadNotifier: UnreadNotifier,
    private readonly links: ReadLinks,
    private readonly worker: NotificationWorker,
    private readonly metrics: NotificationsMetrics,
  ) {}

  /**
   * Sends the event to the user's pages, and the push to the user's devices unless a page shows it in time.
   *
   * @param app default: the only app with notifications
   * @param options `within`: a transaction of yours; pages and devices are notified once it is committed, and never if
   *   it is rolled back
   * @returns the notification's id, when it is durable
   * @throws ChannelsApiError 400, 404 or 413, as over HTTP
   */
  async notify(
    userId: string,
    notification: NotificationBody,
    app?: AppOrId,
    { within }: NotifyOptions = {},
  ): Promise<string> {
    const [id] = await this.sender.send(await this.apps.named(app), { ...notification, userId }, within);
    return id!;
  }

  /**
   * Notifies 1 to 1000 distinct users as {@link notify} does, each with a notification of their own: all of them, or none
   * if it throws.
   *
   * @returns the ids in the order of the users, when all are durable
   * @throws ChannelsApiError 400, 404 or 413, as over HTTP; 400 names an invalid user id
   */
  async notifyUsers(
    users: readonly string[],
    notification: NotificationBody,
    app?: AppOrId,
    { within }: NotifyOptions = {},
  ): Promise<readonly string[]> {
    return this.sender.send(await this.apps.named(app), { ...notification, users }, within);
  }

  /**
   * Marks it as read: no push follows, and other pages and devices remove it.
   * @throws ChannelsApiError 404
   */
  async read(id: string, app?: AppOrId): Promise<NotificationStatus> {
    const named = await this.apps.named(app);
    if (!isStorable(id)) throw notificationNotFound();
    const read = await this.repository.read(named.app.id, id, Date.now(), withdrawsOf(named.settings));
    if (!read) throw notificationNotFound();
    if (read.isFirst) this.metrics.read.inc();
    this.worker.wake();
    // Also when it is repeated, because the answer to the first call may have been lost.
    await this.unreadNotifier.notify(named.app, read.userId, [id]);
    return this.status(id, named.app);
  }

  /**
   * Marks all of a user's notifications of up to now as read: no push follows, and other pages and devices remove them.
   * @returns how many were unread
   */
  async readAll(userId: string, app?: AppOrId): Promise<number> {
    return this.ofUser(userId, app, 'readAll');
  }

  /**
   * Deletes it: no push follows, and pages and devices remove it.
   * @throws ChannelsApiError 404, also if it was deleted before
   */
  async delete(id: string, app?: AppOrId): Promise<void> {
    const named = await this.apps.named(app);
    if (!isStorable(id)) throw notificationNotFound();
    const deleted = await this.repository.delete(named.app.id, id, Date.now(), withdrawsOf(named.settings));
    if (!deleted) throw notificationNotFound();
    this.worker.wake();
    await this.unreadNotifier.notify(named.app, deleted.userId, [id], true);
  }

  /**
   * Deletes all of a user's notifications of up to now, as {@link delete} does.
   * @returns how many there were
   */
  async deleteAll(userId: string, app?: AppOrId): Promise<number> {
    return this.ofUser(userId, app, 'deleteAll');
  }

  /**
   * The status of a notification.
   * @throws ChannelsApiError 404
   */
  async status(id: string, app?: AppOrId): Promise<NotificationStatus> {
    const named = await this.apps.named(app);
    const record = isStorable(id) ? await this.repository.find(named.app.id, id) : undefined;
    if (!record) throw notificationNotFound();
    return this.shownTo(named.app, named.settings, record);
  }

  /** A user's notifications, newest first, without replaced ones. */
  async feed(
    userId: string,
    { limit = 100, before, unread: isUnread = false }: FeedQuery = {},
    app?: AppOrId,
  ): Promise<NotificationFeed> {
    const named = await this.apps.named(app);
    const { id } = named.app;
    // No notification has such a user, and stores cannot look for it.
    if (!isStorable(userId)) return { notifications: [], unread: 0 };
    const [found, unread] = await Promise.all([
      this.repository.feed(id, userId, limit + 1, before, isUnread),
      this.repository.unread(id, userId),
    ]);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      notifications: page.map((record) => this.shownTo(named.app, named.settings, record)),
      unread,
      ...(found.length > limit && last && { next: { createdAt: last.createdAt, id: last.id } }),
    };
  }

  /** The push instance of the app's notifications; undefined: it has none. */
  instanceOf(app: App): string | undefined {
    return this.apps.find(app.id)?.instanceId;
  }

  /** The notifications of all users, or of one without replaced ones, newest first. */
  async latest(limit: number, { userId, before }: LatestQuery, app: AppOrId): Promise<readonly NotificationRecord[]> {
    const { id } = (await this.apps.named(app)).app;
    if (userId === undefined) return this.repository.latest(id, limit, before);
    return isStorable(userId) ? this.repository.feed(id, userId, limit, before) : [];
  }

  /** In transactions of bounded size. */
  private async ofUser(userId: string, name: AppOrId | undefined, method: 'readAll' | 'deleteAll') {
    const { app, settings } = await this.apps.named(name);
    if (!isStorable(userId)) return 0;
    const now = Date.now();
    for (let count = 0; ;) {
      const ids = await this.repository[method](app.id, userId, now, atOnce, withdrawsOf(settings));
      count += ids.length;
      if (method === 'readAll') this.metrics.read.inc(ids.length);
      if (ids.length > 0) {
        this.worker.wake();
        await this.unreadNotifier.notify(app, userId, ids, method === 'deleteAll');
      }
      if (ids.length < atOnce) return count;
    }
  }

  private shownTo(app: App, settings: NotifyingApp, record: NotificationRecord): NotificationStatus {
    return statusOf(record, this.links.linkOf(app, settings, record.id, Date.now()));
  }
}
