import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Apps } from 'rookery/channels';
import { PolledWork, RookeryError, StatusError } from 'rookery/common';
import { PublishService } from 'rookery/publish';
import { NotificationsMetrics } from './metrics.js';
import { NotificationsSettings } from './notifications.options.js';
import { type NotifyingApp, NotifyingApps } from './notifying-apps.js';
import { pushOf, withdrawalOf } from './pushes.js';
import { endOfQuiet } from './quiet-hours.js';
import { ReadLinks } from './read-links.js';
import type { NotificationRecord } from './store/notification.js';
import { NotificationRepository, type Publishing } from './store/notification.repository.js';

/** Notifications that a process works on concurrently. */
const atOnce = 50;

/** How long to wait after a failed publish, in milliseconds. */
const restMs = 5000;

/** Pushes notifications that no page has shown in time, and withdraws pushed ones that were read. */
@Injectable()
export class NotificationWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Notifications');
  private readonly owner = randomUUID();
  private readonly work = new PolledWork(
    () => this.settleAll(),
    (error) => this.logger.error('Could not look for notifications that are due; trying again at the next poll', error),
  );

  constructor(
    private readonly apps: Apps,
    private readonly notifying: NotifyingApps,
    private readonly repository: NotificationRepository,
    private readonly publishes: PublishService,
    private readonly links: ReadLinks,
    private readonly metrics: NotificationsMetrics,
    private readonly settings: NotificationsSettings,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.settings.worker) return;
    this.work.start(this.settings.pollMs, (wake) => this.repository.watch(wake));
  }

  /** Before the other providers shut down: work under way still needs the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.work.stop();
  }

  /** Looks for due work now instead of at the next poll. */
  wake(): void {
    this.work.wake();
  }

  private async settleAll(): Promise<void> {
    while (this.work.isOn && (await this.settleSome()) === atOnce);
  }

  private async settleSome(): Promise<number> {
    const due = await this.repository.claim(this.owner, Date.now(), this.settings.leaseMs, atOnce);
    await Promise.all(due.map((record) => this.settle(record)));
    return due.length;
  }

  private async settle(record: NotificationRecord): Promise<void> {
    const { id, appId } = record;
    try {
      const settings = this.notifying.find(appId);
      if (!settings) throw new RookeryError('not_notifying', 'Notifications are not configured for the app any more');
      await (record.withdrawnAt === undefined ? this.push(record, settings) : this.withdraw(record, settings));
    } catch (error) {
      await this.failed(record, error).catch(() =>
        this.logger.warn(`Notification ${id} of app ${appId} stays leased until its lease runs out`),
      );
    }
  }

  private async push(record: NotificationRecord, settings: NotifyingApp): Promise<void> {
    const { id, appId, userId, quietHours } = record;
    const now = Date.now();
    const quietUntil = quietHours && endOfQuiet(now, quietHours);
    if (quietUntil !== undefined) return this.repository.postpone(this.owner, id, quietUntil);
    const app = await this.apps.findById(appId);
    if (!app) throw new RookeryError('app_not_found', 'There is no such app any more');
    const told = { id, readUrl: this.links.linkOf(app, settings, id, now) };
    const publish = this.publishing(settings, { users: [userId], ...pushOf(record, told) });
    const outcome = await this.repository.push(this.owner, id, now, settings.pushesPerHour, publish);
    if (outcome !== 'lost') this.metrics.settled.inc({ outcome });
  }

  private async withdraw(record: NotificationRecord, settings: NotifyingApp): Promise<void> {
    const payloads = withdrawalOf(record, settings.withdrawFrom);
    const publish = payloads && this.publishing(settings, { users: [record.userId], ...payloads });
    const outcome = await this.repository.withdraw(this.owner, record.id, publish);
    if (outcome !== 'lost') this.metrics.settled.inc({ outcome });
  }

  private publishing({ instanceId }: NotifyingApp, body: Parameters<PublishService['publishToUsers']>[1]): Publishing {
    return (within) => this.publishes.publishToUsers(instanceId, body, within && { within });
  }

  /** A permanent failure is not retried. */
  private async failed({ id, appId, withdrawnAt }: NotificationRecord, error: unknown): Promise<void> {
    const isFinal =
      error instanceof RookeryError && !(error instanceof StatusError && (error.status >= 500 || error.status === 429));
    const reason = error instanceof RookeryError ? error.message : String(error);
    const next = isFinal ? '' : ', and will be tried again';
    if (isFinal) this.metrics.settled.inc({ outcome: 'failed' });
    this.logger.error(`Notification ${id} of app ${appId} could not be published${next}: ${reason}`);
    if (!isFinal) await this.repository.postpone(this.owner, id, Date.now() + restMs);
    else if (withdrawnAt === undefined) await this.repository.skip(this.owner, id, Date.now());
    else await this.repository.withdraw(this.owner, id);
  }
}
