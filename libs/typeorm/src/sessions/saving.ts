import type { Dialect } from '../database/dialect.js';
import { Insertion } from '../database/many-rows.js';
import { run, type Work } from '../database/statement.js';
import type { KnownSession } from './known-session.js';

/** What the database lacks of a session. */
export interface Unwritten {
  readonly key: string;
  readonly session: KnownSession;
  /** Whether its row is due. */
  readonly isRowDue: boolean;
  /** With a changed position, or none any more. */
  readonly channels: ReadonlySet<string>;
}

interface StoredRow {
  readonly name: string;
  readonly opened_at: number | string;
  readonly bytes: number | string;
}

const saveSessions = new Insertion(
  'INSERT INTO rookery_sessions (name, state, opened_at, ends_at, bytes)',
  `ON CONFLICT (name) DO UPDATE SET state = excluded.state, opened_at = excluded.opened_at,
     ends_at = excluded.ends_at, bytes = excluded.bytes WHERE rookery_sessions.opened_at <= excluded.opened_at`,
);
const savePositions = new Insertion(
  'INSERT INTO rookery_session_positions (session, channel, position)',
  'ON CONFLICT (session, channel) DO UPDATE SET position = excluded.position',
);

/**
 * Writes what has changed. A process that no longer has a session's current connection changes nothing.
 *
 * @returns by how many bytes the rows of each session have grown
 */
export function* saving(group: readonly Unwritten[], { each, list, forUpdate }: Dialect): Work<Map<string, number>> {
  const found = yield* run<StoredRow>(
    `SELECT name, opened_at, bytes FROM rookery_sessions WHERE name IN (SELECT value FROM ${each}) ${forUpdate}`,
    [list(group.map(({ key }) => key))],
  );
  const stored = new Map(found.map((row) => [row.name, row]));
  const grown = new Map<string, number>();
  const rows: unknown[][] = [];
  const positions: unknown[][] = [];
  for (const { key, session, isRowDue, channels } of group) {
    const row = stored.get(key);
    if (row && Number(row.opened_at) > session.openedAt) continue;
    const isWhole = !row || session.isWhole;
    if (isWhole || isRowDue) {
      rows.push([key, ...session.row()]);
      grown.set(key, session.bytes - Number(row?.bytes ?? 0));
    }
    const gone: string[] = [];
    for (const channel of isWhole ? new Set([...session.positions.keys(), ...channels]) : channels) {
      const position = session.positions.get(channel);
      if (position === undefined) gone.push(channel);
      else positions.push([key, channel, position]);
    }
    if (gone.length > 0)
      yield* run(`DELETE FROM rookery_session_positions WHERE session = ? AND channel IN (SELECT value FROM ${each})`, [
        key,
        list(gone),
      ]);
  }
  yield* saveSessions.rows(rows);
  yield* savePositions.rows(positions);
  return grown;
}
