import type { Dialect } from '../database/dialect.js';
import { run, type Work } from '../database/statement.js';
import { prefixOf } from './known-session.js';

/** How many sessions, and how many bytes of them, are deleted at once. */
const maxAtOnce = 250;
const maxBytesAtOnce = 512 * 1024;

/** A session that was deleted. */
export interface Forgotten {
  readonly name: string;
  readonly bytes: number | string;
  readonly ends_at: number | string;
}

/** Deletes some sessions that are over. */
export const forgettingOver = (now: number, dialect: Dialect): Work<readonly Forgotten[]> =>
  forgetting('ends_at <= ?', [now], maxBytesAtOnce, dialect);

/** Deletes some of an app's sessions, those saved longest ago first, until so many bytes are free. */
export function forgettingOf(appId: string, bytes: number, dialect: Dialect): Work<readonly Forgotten[]> {
  const prefix = prefixOf(appId);
  return forgetting('substr(name, 1, ?) = ?', [[...prefix].length, prefix], Math.min(bytes, maxBytesAtOnce), dialect);
}

function* forgetting(
  which: string,
  parameters: readonly unknown[],
  maxBytes: number,
  { each, list, forUpdate }: Dialect,
): Work<readonly Forgotten[]> {
  const found = yield* run<Forgotten>(
    `SELECT name, bytes, ends_at FROM rookery_sessions WHERE ${which} ORDER BY ends_at LIMIT ? ${forUpdate}`,
    [...parameters, maxAtOnce],
  );
  const some: Forgotten[] = [];
  let free = 0;
  for (const session of found) {
    if (free >= maxBytes) break;
    some.push(session);
    free += Number(session.bytes);
  }
  const names = list(some.map(({ name }) => name));
  yield* run(`DELETE FROM rookery_session_positions WHERE session IN (SELECT value FROM ${each})`, [names]);
  yield* run(`DELETE FROM rookery_sessions WHERE name IN (SELECT value FROM ${each})`, [names]);
  return some;
}
