import type { NotificationPublish } from 'rookery/notifications';
import type { ClaimedJob } from 'rookery/jobs';
import type { Added } from 'rookery/publish';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import type { TypeOrmJobStore } from '../jobs/typeorm-job.store.js';
import type { TypeOrmPublishOutbox } from '../publishes/typeorm-publish.outbox.js';
import { holdUser } from './notification-changes.js';
import { type Count, countOf, type NotificationRow, unreadCount } from './notification-row.js';

const hourMs = 3_600_000;

/** The transactions that end the jobs of notifications. */
export class NotificationPushes {
  constructor(
    private readonly database: Database,
    private readonly jobs: TypeOrmJobStore,
  ) {}

  *pushing(
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

  *takingBack(job: ClaimedJob, others: readonly string[], publishing: Work<Added>): Work<'withdrawn' | 'lost'> {
    // Two processes with jobs of one user would delete each other's.
    if (others.length > 0) yield* this.database.hold(job.key);
    if (!(yield* this.jobs.ending(job))) return 'lost';
    if (others.length > 0) yield* this.jobs.forgettingOf(job.key, others);
    yield* publishing;
    return 'withdrawn';
  }

  *skipping(job: ClaimedJob, now: number): Work<void> {
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
      yield* holdUser(this.database, app_id, user_id);
  }
}

const skipping = 'UPDATE rookery_notifications SET skipped_at = ? WHERE id = ?';

/** Adds the publish, with the number of unread notifications if it carries that. */
export function* publishing(
  outbox: TypeOrmPublishOutbox,
  { owner: appId }: ClaimedJob,
  { publish, badge }: NotificationPublish,
): Work<Added> {
  const unread = badge && countOf(yield* run<Count>(unreadCount, [appId, badge.userId]));
  return yield* outbox.adding(unread === undefined ? publish : badge!.add(publish, unread));
}
