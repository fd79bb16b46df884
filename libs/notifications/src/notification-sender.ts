import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type App, type CheckedEvent, HandledEvents, withRookeryField } from 'rookery/internal/channels';
import { settingsOf } from '#common';
import type { HostTransaction } from 'rookery/jobs';
import { NotificationsMetrics } from './metrics.js';
import {
  checkedData,
  checkedNotification,
  checkedPush,
  type NotificationBody,
  type NotificationEventBody,
  type NotificationRequest,
} from './notification-body.js';
import { NotificationWorker } from './notification.worker.js';
import { type NotifyingApp, withdrawsOf } from './notifying-apps.js';
import type { PageFields } from './pushes.js';
import { QuietHours } from './quiet-hours.js';
import { ReadLinks } from './read-links.js';
import type { NewNotification } from './store/notification.js';
import { NotificationRepository, type ReplacedNotification } from './store/notification.repository.js';
import { ShownNotifications } from './shown-notifications.js';
import { UnreadNotifier } from './unread-notifier.js';

interface Named {
  readonly app: App;
  readonly settings: NotifyingApp;
}

/** Users whose pages are sent to concurrently. */
const atOnce = 100;

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
    private readonly shown: ShownNotifications,
  ) {}

  onModuleInit(): void {
    this.events.listen(({ appId, id }) => {
      this.metrics.shown.inc();
      this.shown.add(appId, id);
    });
  }

  /**
   * @returns the ids, in the order of the users, when all notifications are durable
   * @throws ChannelsApiError 400 or 413; then none is stored
   */
  async send(
    { app, settings }: Named,
    request: NotificationRequest,
    transaction: HostTransaction | undefined,
  ): Promise<readonly string[]> {
    const checked = checkedNotification({ ...request });
    const users = 'users' in checked ? checked.users : [checked.userId];
    const events = this.eventsFor(app, users, checked.event);
    const shared = sharedBy(checked, users, { ...events[0]!, appId: app.id }, settings);
    const made = users.map((userId): NewNotification => ({ id: randomUUID(), userId, ...shared }));
    let replaced: readonly ReplacedNotification[] = [];
    const added = async (): Promise<void> => {
      this.metrics.accepted.inc({ app: this.metrics.labelOf(app.id) }, made.length);
      await this.sendAll({ app, settings }, made, events, replaced);
      this.worker.wake();
    };
    const within = transaction && { transaction, committed: () => void added() };
    replaced = await this.repository.add(made, withdrawsOf(settings), within);
    if (!within) await added();
    return made.map(({ id }) => id);
  }

  /** The event of each user, whose data is written once. */
  private eventsFor(app: App, users: readonly string[], event: NotificationEventBody): readonly CheckedEvent[] {
    const [first, ...others] = users;
    const checked = this.events.check(app, first, event);
    const written = { name: checked.name, data: checkedData(checked.data) };
    return [checked, ...others.map((userId) => this.events.check(app, userId, written))];
  }

  private async sendAll(
    named: Named,
    made: readonly NewNotification[],
    events: readonly CheckedEvent[],
    replaced: readonly ReplacedNotification[],
  ): Promise<void> {
    const replacedOf = new Map<string, string[]>();
    for (const { id, userId } of replaced) replacedOf.set(userId, [...(replacedOf.get(userId) ?? []), id]);
    for (let from = 0; from < made.length; from += atOnce)
      await Promise.all(
        made
          .slice(from, from + atOnce)
          .map((one, at) => this.sendToPages(named, one, events[from + at]!, replacedOf.get(one.userId) ?? [])),
      );
  }

  /** A stored notification is pushed in any case, so a failure to reach pages is only logged. */
  private async sendToPages(
    { app, settings }: Named,
    { id, userId, createdAt }: NewNotification,
    event: CheckedEvent,
    replaced: readonly string[],
  ): Promise<void> {
    const fields: PageFields = { id, readUrl: this.links.linkOf(app, settings, id, createdAt) };
    try {
      await this.events.send(app, { ...event, data: withRookeryField(event.data, fields) }, id);
    } catch (error) {
      this.logger.warn(`Notification ${id} of app ${app.id} was not sent to pages: ${String(error)}`);
    }
    await this.unreadNotifier.notify(app, userId, replaced);
  }
}

/** What the notifications of one request have in common. */
function sharedBy(
  { push, pushAfterSeconds, collapseKey, quietHours }: NotificationBody,
  users: readonly string[],
  { appId, name, data }: Pick<CheckedEvent, 'name' | 'data'> & { readonly appId: string },
  settings: NotifyingApp,
): Omit<NewNotification, 'id' | 'userId'> {
  const createdAt = Date.now();
  const quiet = quietHours === undefined ? settings.quietHours : quietHours;
  return {
    appId,
    event: { name, data },
    createdAt,
    ...(collapseKey !== undefined && { collapseKey }),
    ...(push && {
      push: checkedPush(users, push),
      pushAt: createdAt + (pushAfterSeconds ?? settings.pushAfterSeconds) * 1000,
    }),
    ...(push && quiet && { quietHours: { ...settingsOf(QuietHours, quiet) } }),
  };
}
