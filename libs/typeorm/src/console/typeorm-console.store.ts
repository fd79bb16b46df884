import { Injectable } from '@nestjs/common';
import {
  type ChartMinute,
  ConsoleStore,
  keptChartMinutes,
  type KeptHealth,
  keptHealths,
  keptTraceCharacters,
  keptTraceMs,
  type TraceBlock,
} from '#common';
import { Database } from '../database/database.js';

/** Blocks that come before it is looked for old ones again: it takes reading the sizes of all. */
const blocksTogether = 10;
/** The same of healths. */
const healthsTogether = 50;

interface TraceRow {
  readonly until: number | string;
  readonly node: string;
  readonly since: number | string;
  readonly has_gap: number | string;
  readonly text: string;
}

/** In a database, for all processes. Each new session deletes expired ones. */
@Injectable()
export class TypeOrmConsoleStore extends ConsoleStore {
  static readonly port = ConsoleStore;

  private blocks = 0;
  private healthsKept = 0;

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

  override readonly keepsTraces = true;

  override async keepTrace({ node, since, until, hasGap, text }: TraceBlock): Promise<void> {
    if (this.blocks++ % blocksTogether === 0) await this.forgetTraces(until);
    await this.database.execute(
      `INSERT INTO rookery_trace_blocks (until, node, since, has_gap, characters, text) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      [until, node, since, hasGap ? 1 : 0, text.length, text],
    );
  }

  private async forgetTraces(now: number): Promise<void> {
    await this.database.execute('DELETE FROM rookery_trace_blocks WHERE until <= ?', [now - keptTraceMs]);
    await this.database.execute(
      `DELETE FROM rookery_trace_blocks WHERE until <= (SELECT until FROM (
         SELECT until, SUM(characters) OVER (ORDER BY until DESC) AS kept FROM rookery_trace_blocks) AS summed
         WHERE kept > ? ORDER BY until DESC LIMIT 1)`,
      [keptTraceCharacters],
    );
  }

  override async traceBlocks(before: TraceBlock | undefined, limit: number): Promise<readonly TraceBlock[]> {
    const found = await this.database.read<TraceRow>(
      `SELECT until, node, since, has_gap, text FROM rookery_trace_blocks WHERE (until, node) < (?, ?)
       ORDER BY until DESC, node DESC LIMIT ?`,
      [before?.until ?? Number.MAX_SAFE_INTEGER, before?.node ?? '', limit],
    );
    return found.map(({ until, node, since, has_gap: hasGap, text }) => {
      return { node, since: Number(since), until: Number(until), hasGap: Number(hasGap) === 1, text };
    });
  }

  override readonly keepsHealths = true;

  override async keepHealth({ owner, url, at, text }: KeptHealth): Promise<void> {
    await this.database.execute(
      `INSERT INTO rookery_endpoint_healths AS kept (owner, url, at, text) VALUES (?, ?, ?, ?)
       ON CONFLICT (owner, url) DO UPDATE SET at = excluded.at, text = excluded.text WHERE excluded.at >= kept.at`,
      [owner, url, at, text],
    );
    if (++this.healthsKept % healthsTogether === 0)
      await this.database.execute(
        `DELETE FROM rookery_endpoint_healths WHERE at <=
           (SELECT at FROM rookery_endpoint_healths ORDER BY at DESC LIMIT 1 OFFSET ?)`,
        [keptHealths],
      );
  }

  override async healths(): Promise<readonly KeptHealth[]> {
    const found = await this.database.read<Omit<KeptHealth, 'at'> & { readonly at: number | string }>(
      'SELECT owner, url, at, text FROM rookery_endpoint_healths',
      [],
    );
    return found.map((each) => ({ ...each, at: Number(each.at) }));
  }
}
