import { Injectable } from '@nestjs/common';
import {
  type FeedPlace,
  type NewNotification,
  type NotificationBacklog,
  type NotificationRecord,
  NotificationRepository,
  type Publishing,
  type ReadNotification,
} from 'rookery/notifications';
import type { Within } from 'rookery/jobs';
import { Database } from '../database/database.js';
import { JointWork } from '../database/joint-work.js';
import { run, type Work } from '../database/statement.js';
import { newColumns, newValues, type NotificationRow, recordOfRow } from './notification-row.js';

/** Tells other processes that a notification is due. */
const due = 'rookery_notifications_due';

const hourMs = 3_600_000;

const isUnread = 'read_at IS NULL AND withdrawn_at IS NULL';
const isHeld = 'id = ? AND owner = ?';
const free = 'due_at = NULL, owner = NULL';
/** Withdraws now: from the devices that have it, if requested; otherwise it never becomes due again. */
const withdrawing = `withdrawn_at = ?, owner = NULL,
  due_at = CASE WHEN pushed_at IS NOT NULL AND ? = 1 THEN CAST(? AS bigint) END`;

/** In a database: notifications outlive the process, and several processes share the work. */
@Injectable()
export class TypeOrmNotificationRepository extends NotificationRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(notification: NewNotification, withdraws: boolean, within?: Within): Promise<readonly string[]> {
    let replaced: readonly string[] = [];
    const added = (): void => {
      const { pushAt, createdAt } = notification;
      if ((pushAt !== undefined && pushAt <= createdAt) || (withdraws && replaced.length > 0)) this.database.tell(due);
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
    const isToBePushed = 'pushed_at IS NULL AND withdrawn_at IS NULL';
    await this.database.execute(
      `UPDATE rookery_notifications SET shown_at = ?,
         due_at = CASE WHEN ${isToBePushed} THEN NULL ELSE due_at END,
         owner = CASE WHEN ${isToBePushed} THEN NULL ELSE owner END
       WHERE id = ? AND app_id = ? AND shown_at IS NULL`,
      [now, id, appId],
    );
  }

  async read(appId: string, id: string, now: number, withdraws: boolean): Promise<ReadNotification | undefined> {
    const read = await this.database.write(() => this.reading(appId, id, now, withdraws));
    if (read?.isFirst && withdraws) this.database.tell(due);
    return read;
  }

  async unread(appId: string, userId: string): Promise<number> {
    const [row] = await this.database.read<{ count: number | string }>(
      `SELECT COUNT(*) AS count FROM rookery_notifications WHERE app_id = ? AND user_id = ? AND ${isUnread}`,
      [appId, userId],
    );
    return Number(row?.count ?? 0);
  }

  async feed(appId: string, userId: string, limit: number, before?: FeedPlace): Promise<readonly NotificationRecord[]> {
    const rows = await this.database.read<NotificationRow>(
      `SELECT * FROM rookery_notifications WHERE app_id = ? AND user_id = ?
         AND (withdrawn_at IS NULL OR read_at IS NOT NULL) ${before ? 'AND (created_at, id) < (?, ?)' : ''}
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      [appId, userId, ...(before ? [before.createdAt, before.id] : []), limit],
    );
    return rows.map(recordOfRow);
  }

  override watch(wake: () => void): () => Promise<void> {
    return this.database.listen(due, wake);
  }

  /** Most claims find nothing, so it reads before it writes. */
  async claim(owner: string, now: number, leaseMs: number, limit: number): Promise<readonly NotificationRecord[]> {
    // The host may close its data source before the worker stops: another process then claims the rest.
    if (!this.database.dataSource.isInitialized) return [];
    const any = 'SELECT id FROM rookery_notifications WHERE due_at <= ? ORDER BY due_at LIMIT 1';
    if ((await this.database.read(any, [now])).length === 0) return [];
    return this.database.write(() => this.claiming(owner, now, leaseMs, limit));
  }

  push(owner: string, id: string, now: number, perHour: number, publish: Publishing) {
    return JointWork.run(this.database, publish, (publishing) => this.pushing(owner, id, now, perHour, publishing));
  }

  async withdraw(owner: string, id: string, publish?: Publishing) {
    if (publish) return JointWork.run(this.database, publish, (publishing) => this.ending(owner, id, publishing));
    return this.database.write(() => this.ending(owner, id));
  }

  async skip(owner: string, id: string, now: number): Promise<void> {
    await this.database.write(() => skipping(owner, id, now));
  }

  async postpone(owner: string, id: string, dueAt: number): Promise<void> {
    const postponed = `UPDATE rookery_notifications SET due_at = ?, owner = NULL WHERE ${isHeld}`;
    await this.database.execute(postponed, [dueAt, id, owner]);
  }

  async backlog(now: number): Promise<NotificationBacklog> {
    const [row] = await this.database.read<{ all_of_them: number | string; oldest: number | string | null }>(
      `SELECT COUNT(*) AS all_of_them, MIN(CASE WHEN due_at <= ? THEN due_at END) AS oldest
       FROM rookery_notifications WHERE due_at IS NOT NULL`,
      [now],
    );
    const oldest = row?.oldest ?? undefined;
    return {
      notifications: Number(row?.all_of_them ?? 0),
      ...(oldest !== undefined && { oldestDueAt: Number(oldest) }),
    };
  }

  async forget(appId: string, before: number, limit: number): Promise<number> {
    const gone = await this.database.execute(
      `DELETE FROM rookery_notifications WHERE id IN (
         SELECT id FROM rookery_notifications WHERE app_id = ? AND created_at < ? AND due_at IS NULL
         ORDER BY created_at LIMIT ?) RETURNING id`,
      [appId, before, limit],
    );
    return gone.length;
  }

  private *adding(notification: NewNotification, withdraws: boolean): Work<readonly string[]> {
    const { appId, userId, collapseKey, createdAt } = notification;
    let replaced: readonly { readonly id: string }[] = [];
    if (collapseKey !== undefined) {
      // Of two concurrent calls, the second must see the first's rows.
      yield* this.holdUser(appId, userId);
      replaced = yield* run<{ readonly id: string }>(
        `UPDATE rookery_notifications SET ${withdrawing}
         WHERE app_id = ? AND user_id = ? AND collapse_key = ? AND ${isUnread} RETURNING id`,
        [createdAt, Number(withdraws), createdAt, appId, userId, collapseKey],
      );
    }
    const values = newValues(notification);
    const places = values.map(() => '?').join(', ');
    yield* run(`INSERT INTO rookery_notifications (${newColumns}) VALUES (${places})`, values);
    return replaced.map(({ id }) => id);
  }

  private *reading(appId: string, id: string, now: number, withdraws: boolean): Work<ReadNotification | undefined> {
    const one = 'SELECT user_id, read_at, withdrawn_at FROM rookery_notifications WHERE id = ? AND app_id = ?';
    const [row] = yield* run<Pick<NotificationRow, 'user_id' | 'read_at' | 'withdrawn_at'>>(
      `${one} ${this.database.dialect.forUpdate}`,
      [id, appId],
    );
    if (!row) return undefined;
    const isFirst = row.read_at === null;
    if (isFirst && row.withdrawn_at !== null)
      yield* run('UPDATE rookery_notifications SET read_at = ? WHERE id = ?', [now, id]);
    if (isFirst && row.withdrawn_at === null)
      yield* run(`UPDATE rookery_notifications SET read_at = ?, ${withdrawing} WHERE id = ?`, [
        now,
        now,
        Number(withdraws),
        now,
        id,
      ]);
    return { userId: row.user_id, isFirst };
  }

  private *claiming(owner: string, now: number, leaseMs: number, limit: number): Work<readonly NotificationRecord[]> {
    const { each, list, skipLocked } = this.database.dialect;
    const rows = yield* run<NotificationRow>(
      `SELECT * FROM rookery_notifications WHERE due_at <= ? ORDER BY due_at LIMIT ? ${skipLocked}`,
      [now, limit],
    );
    yield* run(`UPDATE rookery_notifications SET due_at = ?, owner = ? WHERE id IN (SELECT value FROM ${each})`, [
      now + leaseMs,
      owner,
      list(rows.map(({ id }) => id)),
    ]);
    return rows.map(recordOfRow);
  }

  private *pushing(
    owner: string,
    id: string,
    now: number,
    perHour: number,
    publishing: () => Work<unknown>,
  ): Work<'pushed' | 'limited' | 'lost'> {
    const row = yield* this.held(owner, id);
    if (!row) return 'lost';
    if (perHour !== Infinity && (yield* this.pushedSince(row, now - hourMs)) >= perHour) {
      yield* skipping(owner, id, now);
      return 'limited';
    }
    // A PublishOutbox returns this for an added publish.
    const { publishId } = (yield* publishing()) as { readonly publishId: string };
    yield* run(`UPDATE rookery_notifications SET pushed_at = ?, publish_id = ?, ${free} WHERE id = ?`, [
      now,
      publishId,
      id,
    ]);
    return 'pushed';
  }

  private *ending(owner: string, id: string, publishing?: () => Work<unknown>): Work<'withdrawn' | 'lost'> {
    if (!(yield* this.held(owner, id))) return 'lost';
    if (publishing) yield* publishing();
    yield* run(`UPDATE rookery_notifications SET ${free} WHERE id = ?`, [id]);
    return 'withdrawn';
  }

  private *pushedSince({ app_id, user_id }: NotificationRow, time: number): Work<number> {
    yield* this.holdUser(app_id, user_id);
    const [row] = yield* run<{ count: number | string }>(
      `SELECT COUNT(*) AS count FROM rookery_notifications
       WHERE app_id = ? AND user_id = ? AND pushed_at IS NOT NULL AND pushed_at > ?`,
      [app_id, user_id, time],
    );
    return Number(row?.count ?? 0);
  }

  private holdUser(appId: string, userId: string): Work<void> {
    return this.database.hold(`rookery notifications ${JSON.stringify([appId, userId])}`);
  }

  /** The fence: returns the notification if the owner holds it, and locks it until the end of the transaction. */
  private *held(owner: string, id: string): Work<NotificationRow | undefined> {
    const held = `SELECT * FROM rookery_notifications WHERE ${isHeld} ${this.database.dialect.forUpdate}`;
    const [row] = yield* run<NotificationRow>(held, [id, owner]);
    return row;
  }
}

function* skipping(owner: string, id: string, now: number): Work<void> {
  yield* run(`UPDATE rookery_notifications SET skipped_at = ?, ${free} WHERE ${isHeld}`, [now, id, owner]);
}
