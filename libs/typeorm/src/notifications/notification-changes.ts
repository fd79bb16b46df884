import {
  type NewNotification,
  notificationJob,
  type ReadNotification,
  type ReplacedNotification,
  withdrawalJob,
  withdrawnFromDevices,
  type Withdraws,
} from 'rookery/notifications';
import type { Database } from '../database/database.js';
import { Insertion } from '../database/many-rows.js';
import { run, type Work } from '../database/statement.js';
import type { TypeOrmJobStore } from '../jobs/typeorm-job.store.js';
import { isUnread, newColumns, newValues, type NotificationRow, pushOfRow } from './notification-row.js';

const withdrawnColumns = 'id, app_id, user_id, push, pushed_at';
export type Withdrawn = Pick<NotificationRow, 'id' | 'app_id' | 'user_id' | 'push' | 'pushed_at'>;

const insertion = new Insertion(`INSERT INTO rookery_notifications (${newColumns})`);

/** The transactions that add, read and delete notifications. */
export class NotificationChanges {
  constructor(
    private readonly database: Database,
    private readonly jobs: TypeOrmJobStore,
  ) {}

  *adding(notifications: readonly NewNotification[], withdraws: Withdraws): Work<readonly ReplacedNotification[]> {
    const replaced = yield* this.replacing(notifications, withdraws);
    yield* insertion.rows(notifications.map(newValues));
    yield* this.jobs.adding(
      notifications.flatMap((one) => (one.pushAt === undefined ? [] : [notificationJob(one, one.pushAt)])),
    );
    return replaced.map(({ id, user_id: userId }) => ({ id, userId }));
  }

  private *replacing(notifications: readonly NewNotification[], withdraws: Withdraws): Work<readonly Withdrawn[]> {
    const [first] = notifications;
    if (first?.collapseKey === undefined) return [];
    const { appId, collapseKey, createdAt } = first;
    const users = notifications.map(({ userId }) => userId);
    // Of two concurrent calls, the second must see the first's rows.
    yield* holdUsers(this.database, appId, users);
    const { each, list } = this.database.dialect;
    const replaced = yield* run<Withdrawn>(
      `UPDATE rookery_notifications SET withdrawn_at = ? WHERE app_id = ? AND user_id IN (SELECT value FROM ${each})
         AND collapse_key = ? AND ${isUnread} RETURNING ${withdrawnColumns}`,
      [createdAt, appId, list(users), collapseKey],
    );
    yield* this.setJobs(replaced, createdAt, withdraws === 'always' ? 'pushed' : withdraws);
    return replaced;
  }

  *showing(appId: string, id: string, now: number): Work<void> {
    const shown = yield* run<Pick<NotificationRow, 'pushed_at' | 'withdrawn_at'>>(
      `UPDATE rookery_notifications SET shown_at = ?
       WHERE id = ? AND app_id = ? AND shown_at IS NULL RETURNING pushed_at, withdrawn_at`,
      [now, id, appId],
    );
    if (shown.some(({ pushed_at, withdrawn_at }) => pushed_at === null && withdrawn_at === null))
      yield* this.jobs.forgetting([id]);
  }

  *reading(appId: string, id: string, now: number, withdraws: Withdraws): Work<ReadNotification | undefined> {
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

  *readingAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Work<readonly string[]> {
    // Two concurrent calls would lock the rows in different orders.
    yield* holdUser(this.database, appId, userId);
    const read = yield* run<Withdrawn>(
      `UPDATE rookery_notifications SET read_at = ?, withdrawn_at = ? WHERE id IN (
         SELECT id FROM rookery_notifications WHERE app_id = ? AND user_id = ? AND ${isUnread} AND created_at <= ?
         ORDER BY created_at, id LIMIT ?) AND ${isUnread} RETURNING ${withdrawnColumns}`,
      [now, now, appId, userId, now, limit],
    );
    yield* this.setJobs(read, now, withdraws);
    return read.map(({ id }) => id);
  }

  *deletingAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Work<readonly Withdrawn[]> {
    yield* holdUser(this.database, appId, userId);
    const oldest = `id IN (
      SELECT id FROM rookery_notifications WHERE app_id = ? AND user_id = ? AND created_at <= ?
      ORDER BY created_at, id LIMIT ?)`;
    return yield* this.deleting(oldest, [appId, userId, now, limit], now, withdraws);
  }

  *deleting(
    which: string,
    parameters: readonly unknown[],
    now: number,
    withdraws: Withdraws,
  ): Work<readonly Withdrawn[]> {
    const deleted = yield* run<Withdrawn & Pick<NotificationRow, 'withdrawn_at'>>(
      `DELETE FROM rookery_notifications WHERE ${which} RETURNING ${withdrawnColumns}, withdrawn_at`,
      parameters,
    );
    const unread = deleted.filter(({ withdrawn_at }) => withdrawn_at === null);
    yield* this.setJobs(unread, now, withdraws);
    return deleted;
  }

  /** Ends the pushes of withdrawn notifications, and takes those back that were pushed, if requested. */
  private *setJobs(withdrawn: readonly Withdrawn[], now: number, withdraws: Withdraws): Work<void> {
    yield* this.jobs.forgetting(withdrawn.map(({ id }) => id));
    const sent = withdrawnFromDevices(withdrawn, withdraws, ({ pushed_at }) => pushed_at !== null);
    yield* this.jobs.adding(sent.map((row) => withdrawalJob(pushOfRow(row), now)));
  }
}

function* holdUsers(database: Database, appId: string, users: readonly string[]): Work<void> {
  // One transaction at a time has many locks: PostgreSQL has room for some thousands in all.
  if (users.length > 1) yield* database.hold('rookery notifications of several users');
  yield* database.holdAll(users.map((userId) => lockOf(appId, userId)));
}

const lockOf = (appId: string, userId: string): string => `rookery notifications ${JSON.stringify([appId, userId])}`;

/** Comes before locks on notifications: otherwise two transactions may wait for each other. */
export function holdUser(database: Database, appId: string, userId: string): Work<void> {
  return database.hold(lockOf(appId, userId));
}
