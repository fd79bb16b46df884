import type { DeviceReport, ReportCount, ReportEvent } from 'rookery/publish';
import type { Platform } from 'rookery/push-device';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

/** Reports per DELETE. */
const atOnce = 200;

const someReports = `DELETE FROM rookery_reports WHERE (publish_id, platform, event, device_id) IN (
    SELECT publish_id, platform, event, device_id FROM rookery_reports WHERE publish_id = ? LIMIT ?
  ) RETURNING publish_id`;

/** The number of rows that share a count. */
const parts = 16;

export async function isReported(
  database: Database,
  { publishId, platform, event, deviceId }: DeviceReport,
): Promise<boolean> {
  const found = await database.read(
    'SELECT 1 FROM rookery_reports WHERE publish_id = ? AND platform = ? AND event = ? AND device_id = ?',
    [publishId, platform, event, deviceId],
  );
  return found.length > 0;
}

export function* addingReport({ publishId, platform, event, deviceId }: DeviceReport): Work<void> {
  const added = yield* run(
    `INSERT INTO rookery_reports (publish_id, platform, event, device_id) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING device_id`,
    [publishId, platform, event, deviceId],
  );
  if (added.length === 0) return;
  yield* run(
    `INSERT INTO rookery_report_counts AS known (publish_id, platform, event, part, count) VALUES (?, ?, ?, ?, 1)
     ON CONFLICT (publish_id, platform, event, part) DO UPDATE SET count = known.count + 1`,
    [publishId, platform, event, Math.floor(Math.random() * parts)],
  );
}

export async function readReports(database: Database, publishId: string): Promise<readonly ReportCount[]> {
  const rows = await database.read<{ platform: Platform; event: ReportEvent; count: number | string }>(
    `SELECT platform, event, SUM(count) AS count FROM rookery_report_counts WHERE publish_id = ?
     GROUP BY platform, event ORDER BY platform, event`,
    [publishId],
  );
  return rows.map(({ platform, event, count }) => ({ platform, event, count: Number(count) }));
}

/** All values of the columns before the device's, so that each device is found by the key. */
export async function readReportsOf(
  database: Database,
  publishId: string,
  deviceIds: readonly string[],
): Promise<readonly DeviceReport[]> {
  const { each, list } = database.dialect;
  const rows = await database.read<{ platform: Platform; event: ReportEvent; device_id: string }>(
    `SELECT platform, event, device_id FROM rookery_reports WHERE publish_id = ?
     AND platform IN ('apns', 'fcm', 'web') AND event IN ('delivery', 'open')
     AND device_id IN (SELECT value FROM ${each})`,
    [publishId, list(deviceIds)],
  );
  return rows.map(({ platform, event, device_id: deviceId }) => ({ publishId, deviceId, platform, event }));
}

/** In small steps, so that others can write in between: a publish can have millions of reports. */
export async function forgetReports(database: Database, publishIds: readonly string[]): Promise<void> {
  const { each, list } = database.dialect;
  for (const id of publishIds) while ((await database.execute(someReports, [id, atOnce])).length === atOnce);
  await database.execute(`DELETE FROM rookery_report_counts WHERE publish_id IN (SELECT value FROM ${each})`, [
    list(publishIds),
  ]);
}
