import { Injectable } from '@nestjs/common';
import { type DeviceReport, type ReportCount, type ReportEvent, ReportRepository } from 'rookery/publish';
import type { Platform } from 'rookery/push-device';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

/** In a database: reports outlive the process. */
@Injectable()
export class TypeOrmReportRepository extends ReportRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async has({ publishId, platform, event, deviceId }: DeviceReport): Promise<boolean> {
    const found = await this.database.read(
      'SELECT 1 FROM rookery_reports WHERE publish_id = ? AND platform = ? AND event = ? AND device_id = ?',
      [publishId, platform, event, deviceId],
    );
    return found.length > 0;
  }

  add(report: DeviceReport): Promise<void> {
    return this.database.write(() => adding(report));
  }

  async counts(publishId: string): Promise<readonly ReportCount[]> {
    const rows = await this.database.read<{ platform: Platform; event: ReportEvent; count: number | string }>(
      `SELECT platform, event, SUM(count) AS count FROM rookery_report_counts WHERE publish_id = ?
       GROUP BY platform, event ORDER BY platform, event`,
      [publishId],
    );
    return rows.map(({ platform, event, count }) => ({ platform, event, count: Number(count) }));
  }

  /** In small steps, so that others can write in between: a publish can have millions of reports. */
  async forget(publishIds: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    for (const id of publishIds) while ((await this.database.execute(someReports, [id, atOnce])).length === atOnce);
    await this.database.execute(`DELETE FROM rookery_report_counts WHERE publish_id IN (SELECT value FROM ${each})`, [
      list(publishIds),
    ]);
  }
}

/** Reports per DELETE. */
const atOnce = 200;

const someReports = `DELETE FROM rookery_reports WHERE (publish_id, platform, event, device_id) IN (
    SELECT publish_id, platform, event, device_id FROM rookery_reports WHERE publish_id = ? LIMIT ?
  ) RETURNING publish_id`;

/** The number of rows that share a count. */
const parts = 16;

function* adding({ publishId, platform, event, deviceId }: DeviceReport): Work<void> {
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
