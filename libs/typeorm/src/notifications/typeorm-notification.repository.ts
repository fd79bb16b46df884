import { Injectable } from '@nestjs/common';
import {
  type FeedCursor,
  type NewNotification,
  type NotificationPublish,
  type NotificationRecord,
  NotificationRepository,
  type ReadNotification,
  type ReplacedNotification,
  type Withdraws,
} from 'rookery/notifications';
import type { ClaimedJob, Job, Within } from 'rookery/jobs';
import type { PublishOutbox } from 'rookery/publish';
import { Database } from '../database/database.js';
import type { Work } from '../database/statement.js';
import { TypeOrmJobStore } from '../jobs/typeorm-job.store.js';
import { TypeOrmPublishOutbox } from '../publishes/typeorm-publish.outbox.js';
import { NotificationChanges, type Withdrawn } from './notification-changes.js';
import { NotificationPushes, publishing } from './notification-pushes.js';
import { type Count, countOf, type NotificationRow, recordOfRow, unreadCount } from './notification-row.js';

/** The job queue of notifications. */
const queue = 'notifications';

/** In a database: notifications outlive the process, and several processes share the work. */
@Injectable()
export class TypeOrmNotificationRepository extends NotificationRepository {
  readonly jobs: TypeOrmJobStore;
  private readonly changes: NotificationChanges;
  private readonly pushes: NotificationPushes;

  constructor(private readonly database: Database) {
    super();
    this.jobs = new TypeOrmJobStore(database, queue, 'rookery_notifications_due');
    this.changes = new NotificationChanges(database, this.jobs);
    this.pushes = new NotificationPushes(database, this.jobs);
  }

  async add(
    notifications: readonly NewNotification[],
    withdraws: Withdraws,
    within?: Within,
  ): Promise<readonly ReplacedNotification[]> {
    let replaced: readonly ReplacedNotification[] = [];
    const added = (): void => {
      const isDue = notifications.some(({ pushAt, createdAt }) => pushAt !== undefined && pushAt <= createdAt);
      if (isDue || (withdraws !== 'never' && replaced.length > 0)) this.jobs.notify();
    };
    const committed = (): void => {
      added();
      within?.committed();
    };
    const adding = () => this.changes.adding(notifications, withdraws);
    if (within) return (replaced = await this.database.writeWithin({ ...within, committed }, adding));
    replaced = await this.database.write(adding);
    added();
    return replaced;
  }

  async appIds(): Promise<readonly string[]> {
    const rows = await this.database.read<{ app_id: string }>('SELECT DISTINCT app_id FROM rookery_notifications', []);
    return rows.map(({ app_id }) => app_id);
  }

  async find(appId: string, id: string): Promise<NotificationRecord | undefined> {
    const one = 'SELECT * FROM rookery_notifications WHERE id = ? AND app_id = ?';
    const [row] = await this.database.read<NotificationRow>(one, [id, appId]);
    return row && recordOfRow(row);
  }

  async shown(appId: string, id: string, now: number): Promise<void> {
    await this.database.write(() => this.changes.showing(appId, id, now));
  }

  async read(appId: string, id: string, now: number, withdraws: Withdraws): Promise<ReadNotification | undefined> {
    const read = await this.database.write(() => this.changes.reading(appId, id, now, withdraws));
    if (read?.isFirst && withdraws !== 'never') this.jobs.notify();
    return read;
  }

  async readAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Promise<readonly string[]> {
    const read = await this.database.write(() => this.changes.readingAll(appId, userId, now, limit, withdraws));
    if (read.length > 0 && withdraws !== 'never') this.jobs.notify();
    return read;
  }

  async delete(appId: string, id: string, now: number, withdraws: Withdraws) {
    const [deleted] = await this.deleted(withdraws, () =>
      this.changes.deleting('id = ? AND app_id = ?', [id, appId], now, withdraws),
    );
    return deleted && { userId: deleted.user_id };
  }

  async deleteAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Promise<readonly string[]> {
    const deleted = await this.deleted(withdraws, () => this.changes.deletingAll(appId, userId, now, limit, withdraws));
    return deleted.map(({ id }) => id);
  }

  private async deleted(withdraws: Withdraws, work: () => Work<readonly Withdrawn[]>): Promise<readonly Withdrawn[]> {
    const deleted = await this.database.write(work);
    if (deleted.length > 0 && withdraws !== 'never') this.jobs.notify();
    return deleted;
  }

  async unread(appId: string, userId: string): Promise<number> {
    return countOf(await this.database.read<Count>(unreadCount, [appId, userId]));
  }

  async feed(
    appId: string,
    userId: string,
    limit: number,
    before?: FeedCursor,
    isUnread = false,
  ): Promise<readonly NotificationRecord[]> {
    const rows = await this.database.read<NotificationRow>(
      `SELECT * FROM rookery_notifications WHERE app_id = ? AND user_id = ?
         AND (withdrawn_at IS NULL ${isUnread ? '' : 'OR read_at IS NOT NULL'}) ${before ? 'AND (created_at, id) < (?, ?)' : ''}
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      [appId, userId, ...(before ? [before.createdAt, before.id] : []), limit],
    );
    return rows.map(recordOfRow);
  }

  async latest(appId: string, limit: number, before?: FeedCursor): Promise<readonly NotificationRecord[]> {
    const rows = await this.database.read<NotificationRow>(
      `SELECT * FROM rookery_notifications WHERE app_id = ?
         ${before ? 'AND created_at <= ? AND (created_at, id) < (?, ?)' : ''}
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      [appId, ...(before ? [before.createdAt, before.createdAt, before.id] : []), limit],
    );
    return rows.map(recordOfRow);
  }

  async push(job: ClaimedJob, now: number, perHour: number, publish: NotificationPublish) {
    const own = this.besides(publish.outbox);
    const pushed = await this.database.write(() =>
      this.pushes.pushing(job, now, perHour, publishing(own, job, publish)),
    );
    if (pushed === 'pushed') own.announce(publish.publish);
    return pushed;
  }

  async withdrawals({ id, key }: ClaimedJob, limit: number): Promise<readonly Job[]> {
    return (await this.jobs.ofKey(key, limit + 1)).filter((job) => job.id !== id).slice(0, limit);
  }

  async withdraw(job: ClaimedJob, publish: NotificationPublish, others: readonly string[] = []) {
    const own = this.besides(publish.outbox);
    const withdrawn = await this.database.write(() =>
      this.pushes.takingBack(job, others, publishing(own, job, publish)),
    );
    if (withdrawn === 'withdrawn') own.announce(publish.publish);
    return withdrawn;
  }

  /** The outbox, if it is in the same database: only then can both be written in one transaction. */
  private besides(outbox: PublishOutbox): TypeOrmPublishOutbox {
    if (outbox instanceof TypeOrmPublishOutbox && outbox.isIn(this.database)) return outbox;
    throw new Error(
      'Notifications are in a database, and publishes are not in the same one: write ' +
        'PublishModule.forRoot({ publishOutbox: TypeOrmPublishOutbox })',
    );
  }

  async skip(job: ClaimedJob, now: number): Promise<void> {
    await this.database.write(() => this.pushes.skipping(job, now));
  }

  async forget(appId: string, before: number, limit: number): Promise<number> {
    const gone = await this.database.execute(
      `DELETE FROM rookery_notifications WHERE id IN (
         SELECT n.id FROM rookery_notifications n WHERE n.app_id = ? AND n.created_at < ?
           AND NOT EXISTS (SELECT 1 FROM rookery_jobs j WHERE j.queue = ? AND j.id = n.id)
         ORDER BY n.created_at LIMIT ?) RETURNING id`,
      [appId, before, queue, limit],
    );
    return gone.length;
  }
}
