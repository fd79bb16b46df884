import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type App, type CheckedEvent, HandledEvents } from 'rookery/channels';
import { settingsOf } from '#common';
import type { HostTransaction } from 'rookery/jobs';
import { NotificationsMetrics } from './metrics.js';
import { checkedData, checkedNotification, checkedPush, type NotificationBody } from './notification-body.js';
import { NotificationWorker } from './notification.worker.js';
import { type NotifyingApp, withdrawsOf } from './notifying-apps.js';
import { dataWith, type PageFields } from './pushes.js';
import { QuietHours } from './quiet-hours.js';
import { ReadLinks } from './read-links.js';
import type { NewNotification } from './store/notification.js';
import { NotificationRepository } from './store/notification.repository.js';
import { UnreadNotifier } from './unread-notifier.js';

/** Stores new notifications, sends them to open pages, and records which of them a page has shown. */
@Injectable()
export class NotificationSender implements OnModuleInit {
  private readonly logger = new Logger('Notifications');

  constructor(
    private readonly repository: NotificationRepository,
    private readonly events: HandledEvents,
    private readonly unreadNotifier: UnreadNotifier,
    private readonly links: ReadLinks,
    private readonly worker: NotificationWorker,
    private readonly metrics: NotificationsMetrics,
  ) {}

  onModuleInit(): void {
    this.events.listen(({ appId, id }) => void this.shown(appId, id));
  }

  /**
   * @returns the notification's id, when it is durable
   * @throws ChannelsApiError 400 or 413
   */
  async send(
    { app, settings }: { readonly app: App; readonly settings: NotifyingApp },
    userId: string,
    notification: NotificationBody,
    transaction: HostTransaction | undefined,
  ): Promise<string> {
    const { event, push, pushAfterSeconds, collapseKey, quietHours } = checkedNotification({ ...notification, userId });
    const checked = this.events.check(app, userId, event);
    const data = checkedData(checked.data);
    const createdAt = Date.now();
    const quiet = quietHours === undefined ? settings.quietHours : quietHours;
    const made: NewNotification = {
      id: randomUUID(),
      appId: app.id,
      userId,
      event: { name: checked.name, data },
      createdAt,
      ...(collapseKey !== undefined && { collapseKey }),
      ...(push && {
        push: checkedPush(userId, push),
        pushAt: createdAt + (pushAfterSeconds ?? settings.pushAfterSeconds) * 1000,
      }),
      ...(push && quiet && { quietHours: { ...settingsOf(QuietHours, quiet) } }),
    };
    let replaced: readonly string[] = [];
    const added = async (): Promise<void> => {
      this.metrics.accepted.inc({ app: this.metrics.labelOf(app.id) });
      await this.sendToPages(app, settings, made, checked, replaced);
      this.worker.wake();
    };
    const within = transaction && { transaction, committed: () => void added() };
    replaced = await this.repository.add(made, withdrawsOf(settings), within);
    if (!within) await added();
    return made.id;
  }

  /** A stored notification is pushed in any case, so a failure to reach pages is only logged. */
  private async sendToPages(
    app: App,
    settings: NotifyingApp,
    { id, userId, createdAt }: NewNotification,
    event: CheckedEvent,
    replaced: readonly string[],
  ): Promise<void> {
    const fields: PageFields = { id, readUrl: this.links.linkOf(app, settings, id, createdAt) };
    try {
      await this.events.send(app, { ...event, data: dataWith(fields, event.data) }, id);
    } catch (error) {
      this.logger.warn(`Notification ${id} of app ${app.id} was not sent to pages: ${String(error)}`);
    }
    await this.unreadNotifier.notify(app, userId, replaced);
  }

  private async shown(appId: string, id: string): Promise<void> {
    this.metrics.shown.inc();
    try {
      await this.repository.shown(appId, id, Date.now());
    } catch (error) {
      this.logger.warn(`Notification ${id} of app ${appId} was shown, but that was not stored: ${String(error)}`);
    }
  }
}
