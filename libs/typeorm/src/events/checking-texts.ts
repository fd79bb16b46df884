import type { Dialect } from '../database/dialect.js';
import { run, type Work } from '../database/statement.js';
import { firstCheckMicroseconds, namesIn } from './shared-texts.js';

/** How many texts a step may check: each takes a search for each of its channels. */
const maxChecks = 10;

interface TextRow {
  readonly first_position: number | string;
  readonly last_position: number | string;
  readonly names: string;
}

/**
 * One step: deletes shared texts that no event has any more. A text with events is checked again once it is half as old
 * again, so it outlives its last event by half its age at most, and a busy channel's texts by seconds.
 *
 * @param now in epoch microseconds
 * @returns whether there may be more
 */
export function* checkingTexts(now: number, dialect: Dialect): Work<boolean> {
  const due = yield* run<TextRow>(
    'SELECT first_position, last_position, names FROM rookery_shared_texts WHERE due_at <= ? ORDER BY due_at LIMIT ?',
    [now, maxChecks],
  );
  for (const text of due) {
    const first = Number(text.first_position);
    if (yield* hasEvents(text, dialect)) {
      const next = now + Math.max(firstCheckMicroseconds, Math.floor((now - first) / 2));
      yield* run('UPDATE rookery_shared_texts SET due_at = ? WHERE first_position = ?', [next, first]);
    } else yield* run('DELETE FROM rookery_shared_texts WHERE first_position = ?', [first]);
  }
  return due.length === maxChecks;
}

function* hasEvents({ first_position: first, last_position: last, names }: TextRow, dialect: Dialect): Work<boolean> {
  const topics = dialect.list(namesIn(names));
  for (const query of [lastEventOf(dialect), eventOfHistory(dialect)])
    if ((yield* run(query, [topics, first, last])).length > 0) return true;
  return false;
}

// Scalar subqueries, because PostgreSQL would rather read a whole table to find the first of many rows.
const lastEventOf = ({ each }: Dialect): string =>
  `SELECT 1 FROM ${each}
   WHERE (SELECT e.position FROM rookery_remembered_events e WHERE e.name = value) BETWEEN ? AND ? LIMIT 1`;

const eventOfHistory = ({ each }: Dialect): string =>
  `SELECT 1 FROM ${each}
   WHERE (SELECT MIN(e.position) FROM rookery_kept_events e WHERE e.position >= ?
     AND e.history_id = (SELECT h.id FROM rookery_histories h WHERE h.name = value)) <= ? LIMIT 1`;
