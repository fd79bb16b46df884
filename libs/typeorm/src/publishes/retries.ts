import type { Retry } from 'rookery/publish';
import type { Dialect } from '../database/dialect.js';
import { run, type Work } from '../database/statement.js';

/** Rows per INSERT: few round trips, and few enough parameters for both databases. */
const rowsPerBatch = 200;

/** Adds retries; a new one replaces a device's existing one. */
export function* setRetries(publishId: string, partition: string, retries: readonly Retry[]): Work<void> {
  for (let start = 0; start < retries.length; start += rowsPerBatch) {
    const rows = retries.slice(start, start + rowsPerBatch);
    yield* run(
      `INSERT INTO rookery_publish_retries (publish_id, partition, device_id, attempts, due_at)
       VALUES ${rows.map(() => '(?, ?, ?, ?, ?)').join(', ')}
       ON CONFLICT (publish_id, partition, device_id) DO UPDATE SET
         attempts = excluded.attempts, due_at = excluded.due_at`,
      rows.flatMap(({ deviceId, attempts, dueAt }) => [publishId, partition, deviceId, attempts, dueAt]),
    );
  }
}

/** Ends the retries of devices and skips devices that have none. */
export function* settleRetries(
  { each, list }: Dialect,
  publishId: string,
  partition: string,
  deviceIds: readonly string[],
): Work<void> {
  if (deviceIds.length === 0) return;
  yield* run(
    `DELETE FROM rookery_publish_retries
     WHERE publish_id = ? AND partition = ? AND device_id IN (SELECT value FROM ${each})`,
    [publishId, partition, list(deviceIds)],
  );
}
