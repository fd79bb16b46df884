import { Injectable } from '@nestjs/common';
import { type ChartMinute, ChartMinutes, keptChartMinutes } from '#common';
import { Database } from '../database/database.js';

/** In a database, for all processes. */
@Injectable()
export class TypeOrmChartMinutes extends ChartMinutes {
  constructor(private readonly database: Database) {
    super();
  }

  async keep({ minute, node, figures }: ChartMinute): Promise<void> {
    await this.database.execute('DELETE FROM rookery_chart_minutes WHERE minute <= ?', [minute - keptChartMinutes]);
    await this.database.execute(
      `INSERT INTO rookery_chart_minutes (minute, node, figures) VALUES (?, ?, ?)
       ON CONFLICT (minute, node) DO UPDATE SET figures = excluded.figures`,
      [minute, node, figures],
    );
  }

  async since(minute: number): Promise<readonly ChartMinute[]> {
    const found = await this.database.read<Omit<ChartMinute, 'minute'> & { readonly minute: number | string }>(
      'SELECT minute, node, figures FROM rookery_chart_minutes WHERE minute >= ? ORDER BY minute',
      [minute],
    );
    // PostgreSQL answers a bigint as a text.
    return found.map((each) => ({ ...each, minute: Number(each.minute) }));
  }
}
