import type { ClaimedJob, JobClaim } from 'rookery/jobs';
import { notificationJob } from 'rookery/notifications';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { TypeOrmJobStore } from '../jobs/typeorm-job.store.js';

/** The job queue of notifications. */
export const notificationsQueue = 'notifications';

/** How often to look for notifications of an earlier release, in milliseconds, and how many to take at a time. */
const everyMs = 1000;
const atOnce = 500;

/**
 * The jobs of notifications. The release before had no jobs for them: it marked a notification as due in its own row.
 * Such rows become jobs here, so that they can be in a database that is taken over, or come from a process of that
 * release that still runs beside this one.
 */
export class NotificationJobs extends TypeOrmJobStore {
  private lookedAt = -Infinity;

  constructor(database: Database) {
    super(database, notificationsQueue, 'rookery_notifications_due');
  }

  override async claim(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    if (this.database.dataSource.isInitialized && Math.abs(claim.now - this.lookedAt) >= everyMs) {
      await this.adopt(claim.now);
      this.lookedAt = claim.now;
    }
    return super.claim(claim);
  }

  private async adopt(now: number): Promise<void> {
    const any = 'SELECT id FROM rookery_notifications WHERE due_at <= ? LIMIT 1';
    while ((await this.database.read(any, [now])).length > 0) await this.database.write(() => this.adopting(now));
  }

  private *adopting(now: number): Work<void> {
    const rows = yield* run<{ readonly id: string; readonly app_id: string }>(
      `UPDATE rookery_notifications SET due_at = NULL, owner = NULL WHERE id IN (
         SELECT id FROM rookery_notifications WHERE due_at <= ? ORDER BY due_at LIMIT ?) RETURNING id, app_id`,
      [now, atOnce],
    );
    yield* this.adding(rows.map(({ id, app_id: appId }) => notificationJob({ id, appId }, now)));
  }
}
