import { Injectable } from '@nestjs/common';
import {
  type FeedCursor,
  type NewNotification,
  notificationJob,
  type NotificationPublish,
  type NotificationRecord,
  NotificationRepository,
  type ReadNotification,
  withdrawalJob,
  withdrawnFromDevices,
  type Withdraws,
} from 'rookery/notifications';
import type { ClaimedJob, Within } from 'rookery/jobs';
import type { Added, PublishOutbox } from 'rookery/publish';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { TypeOrmJobStore } from '../jobs/typeorm-job.store.js';
import { TypeOrmPublishOutbox } from '../publishes/typeorm-publish.outbox.js';
import { newColumns, newValues, type NotificationRow, pushOfRow, recordOfRow } from './notification-row.js';

const hourMs = 3_600_000;

const isUnread = 'read_at IS NULL AND withdrawn_at IS NULL';

const unreadCount = `SELECT COUNT(*) AS count FROM rookery_notifications WHERE app_id = ? AND user_id = ? AND ${isUnread}`;

type Count = { readonly count: number | string };
const countOf = ([row]: readonly Count[]): number => Number(row?.count ?? 0);

/** The job queue of notifications. */
const queue = 'notifications';

const withdrawnColumns = 'id, app_id, user_id, push, pushed_at';
type Withdrawn = Pick<NotificationRow, 'id' | 'app_id' | 'user_id' | 'push' | 'pushed_at'>;

/** In a database: notifications outlive the process, and several processes share the work. */
@Injectable()
export class TypeOrmNotificationRepository extends NotificationRepository {
  readonly jobs: TypeOrmJobStore;

  constructor(private readonly database: Database) {
    super();
    this.jobs = new TypeOrmJobStore(database, queue, 'rookery_notifications_due');
  }

  async add(notification: NewNotification, withdraws: Withdraws, within?: Within): Promise<readonly string[]> {
    let replaced: readonly string[] = [];
    const added = (): void => {
      const { pushAt, createdAt } = notification;
      if ((pushAt !== undefined && pushAt <= createdAt) || (withdraws !== 'never' && replaced.length > 0))
        this.jobs.notify();
    };
    const committed = (): void => {
      added();
      within?.committed();
    };
    const adding = () => this.adding(notification, withdraws);
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
    await this.database.write(() => this.showing(appId, id, now));
  }

  async read(appId: string, id: string, now: number, withdraws: Withdraws): Promise<ReadNotification | undefined> {
    const read = await this.database.write(() => this.reading(appId, id, now, withdraws));
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
    const read = await this.database.write(() => this.readingAll(appId, userId, now, limit, withdraws));
    if (read.length > 0 && withdraws !== 'never') this.jobs.notify();
    return read;
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
    const pushed = await this.database.write(() => this.pushing(job, now, perHour, publishing(own, job, publish)));
    if (pushed === 'pushed') own.announce(publish.publish);
    return pushed;
  }

  async withdraw(job: ClaimedJob, publish: NotificationPublish) {
    const own = this.besides(publish.outbox);
    const withdrawn = await this.database.write(() => this.takingBack(job, publishing(own, job, publish)));
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
    await this.database.write(() => this.skipping(job, now));
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

  private *adding(notification: NewNotification, withdraws: Withdraws): Work<readonly string[]> {
    const { appId, userId, collapseKey, createdAt, pushAt } = notification;
    let replaced: readonly Withdrawn[] = [];
    if (collapseKey !== undefined) {
      // Of two concurrent calls, the second must see the first's rows.
      yield* this.holdUser(appId, userId);
      replaced = yield* run<Withdrawn>(
        `UPDATE rookery_notifications SET withdrawn_at = ?
         WHERE app_id = ? AND user_id = ? AND collapse_key = ? AND ${isUnread} RETURNING ${withdrawnColumns}`,
        [createdAt, appId, userId, collapseKey],
      );
      yield* this.setJobs(replaced, createdAt, withdraws === 'always' ? 'pushed' : withdraws);
    }
    const values = newValues(notification);
    const places = values.map(() => '?').join(', ');
    yield* run(`INSERT INTO rookery_notifications (${newColumns}) VALUES (${places})`, values);
    if (pushAt !== undefined) yield* this.jobs.adding([notificationJob(notification, pushAt)]);
    return replaced.map(({ id }) => id);
  }

  private *showing(appId: string, id: string, now: number): Work<void> {
    const shown = yield* run<Pick<NotificationRow, 'pushed_at' | 'withdrawn_at'>>(
      `UPDATE rookery_notifications SET shown_at = ?
       WHERE id = ? AND app_id = ? AND shown_at IS NULL RETURNING pushed_at, withdrawn_at`,
      [now, id, appId],
    );
    if (shown.some(({ pushed_at, withdrawn_at }) => pushed_at === null && withdrawn_at === null))
      yield* this.jobs.forgetting([id]);
  }

  private *reading(appId: string, id: string, now: number, withdraws: Withdraws): Work<ReadNotification | undefined> {
    const one = 'SELECT user_id, read_at, withdrawn_at FROM rookery_notifications WHERE id = ? AND app_id = ?';
    const [row] = yield* run<Pick<NotificationRow, 'user_id' | 'read_at' | 'withdrawn_at'>>(
      `${one} ${this.database.dialect.forUpdate}`,
      [id, appId],
    );
    if (!row) return undefined;
    const isFirst = row.read_at === null;
    if (isFirst) yield* run('UPDATE rookery_notifications SET read_at = ? WHERE id = ?', [now, id]);
    if (isFirst && row.withdrawn_at === null) {
      const withdrawn = `UPDATE rookery_notifications SET withdrawn_at = ? WHERE id = ? RETURNING ${withdrawnColumns}`;
      yield* this.setJobs(yield* run<Withdrawn>(withdrawn, [now, id]), now, withdraws);
    }
    return { userId: row.user_id, isFirst };
  }

  private *readingAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Work<readonly string[]> {
    // Two concurrent calls would lock the rows in different orders.
    yield* this.holdUser(appId, userId);
    const read = yield* run<Withdrawn>(
      `UPDATE rookery_notifications SET read_at = ?, withdrawn_at = ? WHERE id IN (
         SELECT id FROM rookery_notifications WHERE app_id = ? AND user_id = ? AND ${isUnread} AND created_at <= ?
         ORDER BY created_at, id LIMIT ?) AND ${isUnread} RETURNING ${withdrawnColumns}`,
      [now, now, appId, userId, now, limit],
    );
    yield* this.setJobs(read, now, withdraws);
    return read.map(({ id }) => id);
  }

  /** Ends the pushes of withdrawn notifications, and takes those back that were pushed, if requested. */
  private *setJobs(withdrawn: readonly Withdrawn[], now: number, withdraws: Withdraws): Work<void> {
    yield* this.jobs.forgetting(withdrawn.map(({ id }) => id));
    const sent = withdrawnFromDevices(withdrawn, withdraws, ({ pushed_at }) => pushed_at !== null);
    yield* this.jobs.adding(sent.map((row) => withdrawalJob(pushOfRow(row), now)));
  }

  private *pushing(
    job: ClaimedJob,
    now: number,
    perHour: number,
    publishing: Work<Added>,
  ): Work<'pushed' | 'limited' | 'lost'> {
    // The lock on the user comes before those on notifications, as in `add`: otherwise both may wait for each other.
    if (perHour !== Infinity) yield* this.holdUserOf(job);
    const row = yield* this.endingPush(job);
    if (!row) return 'lost';
    if (perHour !== Infinity && (yield* this.pushedSince(row, now - hourMs)) >= perHour) {
      yield* run(skipping, [now, job.id]);
      return 'limited';
    }
    const { publishId } = yield* publishing;
    const pushed = 'UPDATE rookery_notifications SET pushed_at = ?, publish_id = ? WHERE id = ?';
    yield* run(pushed, [now, publishId, job.id]);
    return 'pushed';
  }

  private *takingBack(job: ClaimedJob, publishing: Work<Added>): Work<'withdrawn' | 'lost'> {
    if (!(yield* this.jobs.ending(job))) return 'lost';
    yield* publishing;
    return 'withdrawn';
  }

  private *skipping(job: ClaimedJob, now: number): Work<void> {
    if (yield* this.endingPush(job)) yield* run(skipping, [now, job.id]);
  }

  /**
   * Ends the job of a push. Returns the notification if the claim held the job, and it is still to be pushed, not to be
   * withdrawn. Locks the notification first, as `shown` and `read` do.
   */
  private *endingPush(job: ClaimedJob): Work<NotificationRow | undefined> {
    const { forUpdate } = this.database.dialect;
    const unpushed = `SELECT * FROM rookery_notifications
      WHERE id = ? AND pushed_at IS NULL AND withdrawn_at IS NULL ${forUpdate}`;
    const [row] = yield* run<NotificationRow>(unpushed, [job.id]);
    return (yield* this.jobs.ending(job)) ? row : undefined;
  }

  private *pushedSince({ app_id, user_id }: NotificationRow, time: number): Work<number> {
    const recent = `SELECT COUNT(*) AS count FROM rookery_notifications
       WHERE app_id = ? AND user_id = ? AND pushed_at IS NOT NULL AND pushed_at > ?`;
    return countOf(yield* run<Count>(recent, [app_id, user_id, time]));
  }

  private *holdUserOf(job: ClaimedJob): Work<void> {
    const its = 'SELECT app_id, user_id FROM rookery_notifications WHERE id = ?';
    for (const { app_id, user_id } of yield* run<Pick<NotificationRow, 'app_id' | 'user_id'>>(its, [job.id]))
      yield* this.holdUser(app_id, user_id);
  }

  private holdUser(appId: string, userId: string): Work<void> {
    return this.database.hold(`rookery notifications ${JSON.stringify([appId, userId])}`);
  }
}

const skipping = 'UPDATE rookery_notifications SET skipped_at = ? WHERE id = ?';

/** Adds the publish, with the number of unread notifications if it carries that. */
function* publishing(
  outbox: TypeOrmPublishOutbox,
  { owner: appId }: ClaimedJob,
  { publish, badge }: NotificationPublish,
): Work<Added> {
  const unread = badge && countOf(yield* run<Count>(unreadCount, [appId, badge.userId]));
  return yield* outbox.adding(unread === undefined ? publish : badge!.add(publish, unread));
}
