import { Injectable } from '@nestjs/common';
import { type ChartMinute, ConsoleStore, keptChartMinutes } from '#common';
import { Database } from '../database/database.js';

/** In a database, for all processes. Each new session deletes expired ones. */
@Injectable()
export class TypeOrmConsoleStore extends ConsoleStore {
  constructor(private readonly database: Database) {
    super();
  }

  async beginSession(name: string, seconds: number): Promise<void> {
    const now = Date.now();
    await this.database.execute('DELETE FROM rookery_sign_ins WHERE ends_at <= ?', [now]);
    await this.database.execute(
      `INSERT INTO rookery_sign_ins (name, ends_at) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET ends_at = excluded.ends_at`,
      [name, now + seconds * 1000],
    );
  }

  async hasSession(name: string): Promise<boolean> {
    const open = 'SELECT 1 FROM rookery_sign_ins WHERE name = ? AND ends_at > ?';
    return (await this.database.read(open, [name, Date.now()])).length > 0;
  }

  async endSession(name: string): Promise<void> {
    await this.database.execute('DELETE FROM rookery_sign_ins WHERE name = ?', [name]);
  }

  async keepMinute({ minute, node, figures }: ChartMinute): Promise<void> {
    await this.database.execute('DELETE FROM rookery_chart_minutes WHERE minute <= ?', [minute - keptChartMinutes]);
    await this.database.execute(
      `INSERT INTO rookery_chart_minutes (minute, node, figures) VALUES (?, ?, ?)
       ON CONFLICT (minute, node) DO UPDATE SET figures = excluded.figures`,
      [minute, node, figures],
    );
  }

  async minutesSince(minute: number): Promise<readonly ChartMinute[]> {
    const found = await this.database.read<Omit<ChartMinute, 'minute'> & { readonly minute: number | string }>(
      'SELECT minute, node, figures FROM rookery_chart_minutes WHERE minute >= ? ORDER BY minute',
      [minute],
    );
    // PostgreSQL answers a bigint as a text.
    return found.map((each) => ({ ...each, minute: Number(each.minute) }));
  }
}
