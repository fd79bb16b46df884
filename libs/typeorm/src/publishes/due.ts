import type { Backlog } from 'rookery/publish';
import type { Database } from '../database/database.js';
import type { Dialect } from '../database/dialect.js';

/** What a claim asks for. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leasedUntil: number;
  /** Ids of publishes that are passed by. */
  readonly except: readonly string[];
}

/** What has been due the longest: a publish, or a range of one. */
export async function firstDue(database: Database, { now, except }: Claim): Promise<'publish' | 'range' | 'none'> {
  const first = (table: string, id: string) => {
    const { text, parameters } = passedBy(database.dialect, id, except);
    return {
      text: `(SELECT due_at FROM ${table} WHERE due_at <= ? ${text} ORDER BY due_at LIMIT 1)`,
      parameters: [now, ...parameters],
    };
  };
  const [publish, range] = [first('rookery_publishes', 'id'), first('rookery_publish_ranges', 'publish_id')];
  const [due] = await database.read<{ publish: number | string | null; range: number | string | null }>(
    `SELECT ${publish.text} AS publish, ${range.text} AS range`,
    [...publish.parameters, ...range.parameters],
  );
  if (!due || (due.publish === null && due.range === null)) return 'none';
  return Number(due.range ?? Infinity) < Number(due.publish ?? Infinity) ? 'range' : 'publish';
}

/** The condition that leaves out what is not to be claimed. */
export function passedBy({ each, list }: Dialect, id: string, except: readonly string[]) {
  if (except.length === 0) return { text: '', parameters: [] };
  return { text: `AND ${id} NOT IN (SELECT value FROM ${each})`, parameters: [list(except)] };
}

interface Waiting {
  readonly count: number | string;
  readonly oldest: number | string | null;
}

/** What is due: publishes, and those of which only ranges are. */
export async function readBacklog(database: Database, now: number): Promise<Backlog> {
  const found = await Promise.all([
    database.read<Waiting>('SELECT COUNT(*) AS count, MIN(due_at) AS oldest FROM rookery_publishes WHERE due_at <= ?', [
      now,
    ]),
    database.read<Waiting>(
      `SELECT COUNT(DISTINCT CASE WHEN p.due_at <= ? THEN NULL ELSE p.id END) AS count, MIN(r.due_at) AS oldest
       FROM rookery_publish_ranges r JOIN rookery_publishes p ON p.id = r.publish_id WHERE r.due_at <= ?`,
      [now, now],
    ),
  ]);
  const waiting = found.flat();
  const publishes = waiting.reduce((sum, { count }) => sum + Number(count), 0);
  if (publishes === 0) return { publishes };
  const oldestDueAt = Math.min(...waiting.map(({ oldest }) => Number(oldest ?? Infinity)));
  return { publishes, oldestDueAt };
}
