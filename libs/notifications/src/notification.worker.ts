import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Apps } from 'rookery/channels';
import { RookeryError, settledIn } from '#common';
import { StatusError } from '#http';
import { type ClaimedJob, type JobOutcome, JobRunner, missingRecord } from 'rookery/internal/jobs';
import { type Payloads, type PreparedPublish, PublishService } from 'rookery/publish';
import { NotificationsMetrics } from './metrics.js';
import { NotificationsSettings } from './notifications.options.js';
import { type NotifyingApp, NotifyingApps } from './notifying-apps.js';
import { withBadge } from './badge.js';
import { pushOf, withdrawalOf, withdrawnAtOnce } from './pushes.js';
import { endOfQuiet } from './quiet-hours.js';
import { ReadLinks } from './read-links.js';
import { ShownNotifications } from './shown-notifications.js';
import type { NotificationRecord } from './store/notification.js';
import {
  type NotificationPublish,
  NotificationRepository,
  type Withdrawal,
  withdrawalFor,
  withdrawalIn,
} from './store/notification.repository.js';

/** Notifications that a process works on concurrently. */
const atOnce = 50;

/** How long work in progress may delay a shutdown, in milliseconds. */
const stopMs = 2000;

/** What a badge adds to a push, at most. */
const badgeBytes = 100;

/** How long to wait after a failed publish, in milliseconds. */
const restMs = 5000;

/** Pushes notifications that no page has shown in time, and withdraws pushed ones that were read. */
@Injectable()
export class NotificationWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Notifications');
  private readonly runner: JobRunner;

  constructor(
    private readonly apps: Apps,
    private readonly notifying: NotifyingApps,
    private readonly repository: NotificationRepository,
    private readonly publishes: PublishService,
    private readonly links: ReadLinks,
    private readonly metrics: NotificationsMetrics,
    private readonly settings: NotificationsSettings,
    private readonly shown: ShownNotifications,
  ) {
    const { leaseMs, pollMs } = settings;
    this.runner = new JobRunner(repository.jobs, {
      jobs: 'notifications',
      run: ({ job }) => this.settle(job),
      concurrency: atOnce,
      perKey: 1,
      leaseMs,
      pollMs,
      // A worker-only process has nothing else on the event loop.
      keepsAlive: true,
    });
  }

  onApplicationBootstrap(): void {
    if (this.settings.worker) this.runner.start();
  }

  /** Before the other providers shut down: work under way still needs the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!(await settledIn(this.runner.stop(), stopMs)))
      this.logger.warn(
        'Notifications in progress could not be finished: another process continues when their lease ends',
      );
  }

  /** Looks for due work now instead of at the next poll. */
  wake(): void {
    if (this.settings.worker) this.runner.wake();
  }

  private async settle(job: ClaimedJob): Promise<JobOutcome> {
    const { id, owner: appId } = job;
    try {
      const withdrawal = withdrawalIn(job);
      if (withdrawal) return await this.withdraw(job, withdrawal, this.settingsOf(appId));
      const record = await this.repository.find(appId, id);
      if (!record) return this.search(job);
      const settings = this.settingsOf(appId);
      // Jobs of earlier versions name only the notification.
      if (record.pushedAt !== undefined) return await this.withdraw(job, withdrawalFor(record), settings);
      return await this.push(job, record, settings);
    } catch (error) {
      return this.failed(job, error);
    }
  }

  private settingsOf(appId: string): NotifyingApp {
    const settings = this.notifying.find(appId);
    if (!settings) throw new RookeryError('not_notifying', 'Notifications are not configured for the app any more');
    return settings;
  }

  private search(job: ClaimedJob): JobOutcome {
    const { outcome, line } = missingRecord(job, Date.now(), `Notification ${job.id} of app ${job.owner}`);
    if (line !== undefined) this.logger.error(line);
    return outcome;
  }

  private async push(job: ClaimedJob, record: NotificationRecord, settings: NotifyingApp): Promise<JobOutcome> {
    const { id, appId, userId, quietHours } = record;
    // A page has shown it while the storage was away: the job ends with that.
    if (await this.shown.stored(appId, id)) return { outcome: 'ended' };
    const now = Date.now();
    const quietUntil = quietHours && endOfQuiet(now, quietHours);
    if (quietUntil !== undefined) return { outcome: 'retry', dueAt: quietUntil };
    const app = await this.apps.findById(appId);
    if (!app) throw new RookeryError('app_not_found', 'There is no such app any more');
    const fields = { id, readUrl: this.links.linkOf(app, settings, id, now) };
    const publish = await this.prepare(settings, userId, pushOf(record, fields));
    const settled = await this.repository.push(job, now, settings.pushesPerHour, publish);
    if (settled === 'pushed') publish.added();
    return this.settled(settled);
  }

  private async withdraw(job: ClaimedJob, withdrawal: Withdrawal, settings: NotifyingApp): Promise<JobOutcome> {
    const others = await this.repository.withdrawals(job, withdrawnAtOnce - 1);
    const ids = others.map(({ id }) => id);
    const platforms = [withdrawal, ...others.map(withdrawalIn)].flatMap((one) => one?.platforms ?? []);
    const payloads = withdrawalOf([job.id, ...ids], platforms, settings);
    if (!payloads) return this.settled('withdrawn', 'done');
    const publish = await this.prepare(settings, withdrawal.userId, payloads);
    const settled = await this.repository.withdraw(job, publish, ids);
    if (settled === 'withdrawn') publish.added();
    return this.settled(settled, 'ended', 1 + ids.length);
  }

  private settled(
    settled: 'pushed' | 'limited' | 'withdrawn' | 'lost' | 'failed',
    outcome: 'ended' | 'done' = 'ended',
    count = 1,
  ): JobOutcome {
    if (settled !== 'lost') this.metrics.settled.inc({ outcome: settled }, count);
    return { outcome };
  }

  private async prepare(
    { instanceId, badges, shorten }: NotifyingApp,
    userId: string,
    payloads: Payloads,
  ): Promise<NotificationPublish & Pick<PreparedPublish, 'added'>> {
    // A push that is too large for one platform must not keep the others from the user.
    const body = { users: [userId], ...payloads };
    const prepared = await this.publishes.prepareForUsers(instanceId, body, {
      partly: true,
      shorten: shorten && badgeBytes,
    });
    return badges ? { ...prepared, badge: { userId, add: withBadge } } : prepared;
  }

  /** A permanent failure is not retried. */
  private async failed(job: ClaimedJob, error: unknown): Promise<JobOutcome> {
    const isFinal =
      error instanceof RookeryError && !(error instanceof StatusError && (error.status >= 500 || error.status === 429));
    const reason = error instanceof RookeryError ? error.message : String(error);
    const next = isFinal ? '' : ', and will be tried again';
    this.logger.error(`Notification ${job.id} of app ${job.owner} could not be published${next}: ${reason}`);
    const again: JobOutcome = { outcome: 'retry', dueAt: Date.now() + restMs };
    if (!isFinal) return again;
    const skipped = this.repository.skip(job, Date.now());
    return skipped.then(() => this.settled('failed')).catch(() => again);
  }
}
