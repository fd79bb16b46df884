import { Injectable } from '@nestjs/common';
import { type DeviceReport, type ReportCount, type ReportEvent, ReportRepository } from 'rookery/publish';
import type { Platform } from 'rookery/push-device';
import { Database } from '../database/database.js';

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

  async add({ publishId, platform, event, deviceId }: DeviceReport): Promise<void> {
    await this.database.execute(
      `INSERT INTO rookery_reports (publish_id, platform, event, device_id) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      [publishId, platform, event, deviceId],
    );
  }

  async counts(publishId: string): Promise<readonly ReportCount[]> {
    const rows = await this.database.read<{ platform: Platform; event: ReportEvent; count: number | string }>(
      `SELECT platform, event, COUNT(*) AS count FROM rookery_reports WHERE publish_id = ?
       GROUP BY platform, event ORDER BY platform, event`,
      [publishId],
    );
    return rows.map(({ platform, event, count }) => ({ platform, event, count: Number(count) }));
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    await this.database.execute(`DELETE FROM rookery_reports WHERE publish_id IN (SELECT value FROM ${each})`, [
      list(publishIds),
    ]);
  }
}
