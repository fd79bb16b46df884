import type { Dialect } from '../database/dialect.js';
import { run, type Work } from '../database/statement.js';
import { checkingTexts } from './checking-texts.js';

/** How long a history without new events is known to have had some. */
const rememberMicroseconds = 2 * 86_400_000_000;

/** How many small events a step may delete, so that it holds up the process for a few milliseconds only. */
const maxAtOnce = 500;
/** How many channels a step may look at. A look costs as much as five events. */
const maxLooks = maxAtOnce / 5;
/** An event of so many bytes costs as much as two small ones. */
const costlyBytes = 2048;

interface HistoryRow {
  readonly name: string;
  readonly id: number | string;
  readonly latest: number | string;
  readonly count: number | string;
  readonly bytes: number | string;
  readonly most_events: number | string;
  readonly most_microseconds: number | string;
  readonly most_bytes: number | string;
}

/** Of what there is something to forget: 1 or 0 of each. */
export interface Due {
  readonly histories: number;
  readonly remembered: number;
  readonly texts: number;
}

/** Finds {@link Due}; parameters: now in epoch microseconds, milliseconds, microseconds. */
export const whatIsDue = `SELECT
  CASE WHEN EXISTS (SELECT 1 FROM rookery_histories WHERE due_at <= ?) THEN 1 ELSE 0 END AS histories,
  CASE WHEN EXISTS (SELECT 1 FROM rookery_remembered_events WHERE ends_at <= ?) THEN 1 ELSE 0 END AS remembered,
  CASE WHEN EXISTS (SELECT 1 FROM rookery_shared_texts WHERE due_at <= ?) THEN 1 ELSE 0 END AS texts`;

/**
 * One step: deletes some of the events beyond the bounds of their histories, and some of what cache channels no longer
 * remember.
 *
 * @param now in epoch microseconds
 * @param due of what there is something: looking for it again would cost as much
 * @returns whether there may be more
 */
export function* forgetting(now: number, dialect: Dialect, due: Due): Work<boolean> {
  const hasMoreRemembered = due.remembered === 1 && (yield* forgettingRemembered(now, dialect));
  const hasMoreHistories = due.histories === 1 && (yield* trimmingHistories(now));
  const hasMoreTexts = due.texts === 1 && (yield* checkingTexts(now, dialect));
  return hasMoreRemembered || hasMoreHistories || hasMoreTexts;
}

function* forgettingRemembered(now: number, { each, list }: Dialect): Work<boolean> {
  const ended = yield* run<{ readonly name: string }>(
    'SELECT name FROM rookery_remembered_events WHERE ends_at <= ? ORDER BY ends_at LIMIT ?',
    [now / 1000, maxLooks],
  );
  if (ended.length > 0)
    yield* run(`DELETE FROM rookery_remembered_events WHERE name IN (SELECT value FROM ${each}) AND ends_at <= ?`, [
      list(ended.map(({ name }) => name)),
      now / 1000,
    ]);
  return ended.length === maxLooks;
}

function* trimmingHistories(now: number): Work<boolean> {
  const histories = yield* run<HistoryRow>(
    `SELECT name, id, latest, count, bytes, most_events, most_microseconds, most_bytes FROM rookery_histories
     WHERE due_at <= ? ORDER BY due_at LIMIT ?`,
    [now, maxLooks],
  );
  let left = maxAtOnce;
  for (const history of histories) {
    if (left <= 0) break;
    left -= 5 + (yield* trimming(history, now, left));
  }
  return left <= 0 || histories.length === maxLooks;
}

/** @returns what it has cost */
function* trimming(history: HistoryRow, now: number, maxCost: number): Work<number> {
  const { id, name, latest } = history;
  const costOfEvent = 1 + Math.floor(Number(history.bytes) / Number(history.count) / costlyBytes);
  const most = Math.max(1, Math.floor(maxCost / costOfEvent));
  const bounds = boundsOf(history, now);
  const [old] = yield* run<{ readonly count: number | string; readonly last: number | string | null }>(
    `SELECT COUNT(*) AS count, MAX(position) AS last FROM (
       SELECT position, events_before, bytes_before FROM rookery_kept_events
       WHERE history_id = ? ORDER BY position LIMIT ?) AS oldest
     WHERE ${isBeyond}`,
    [id, most, ...bounds],
  );
  const count = Number(old!.count);
  if (count > 0) yield* run('DELETE FROM rookery_kept_events WHERE history_id = ? AND position <= ?', [id, old!.last]);
  const [next] = yield* run<{ readonly position: number | string; readonly is_old: number }>(
    `SELECT position, CASE WHEN ${isBeyond} THEN 1 ELSE 0 END AS is_old FROM rookery_kept_events
     WHERE history_id = ? ORDER BY position LIMIT 1`,
    [...bounds, id],
  );
  if (next) {
    // One that is beyond the bounds as well stays due.
    const dueAt = next.is_old === 1 ? now : Number(next.position) + Number(history.most_microseconds);
    // If an event came meanwhile, its bounds may be others: the history stays due.
    yield* run('UPDATE rookery_histories SET due_at = ? WHERE name = ? AND latest = ?', [dueAt, name, latest]);
  } else yield* ending(history, now);
  // All of it, if there is more to delete.
  return next?.is_old === 1 ? maxCost : count * costOfEvent;
}

/** A history without events, unless one is being added. */
function* ending({ name, latest }: HistoryRow, now: number): Work<void> {
  const forgetAt = Number(latest) + rememberMicroseconds;
  if (forgetAt > now) {
    yield* run('UPDATE rookery_histories SET due_at = ? WHERE name = ? AND latest = ?', [forgetAt, name, latest]);
    return;
  }
  yield* run('DELETE FROM rookery_histories WHERE name = ? AND latest = ?', [name, latest]);
  yield* run("UPDATE rookery_event_order SET forgotten = ? WHERE name = 'events' AND forgotten < ?", [latest, latest]);
}

/** Parameters: {@link boundsOf}. If an event is beyond the bounds, all before it are. */
const isBeyond = '(events_before < ? OR bytes_before < ? OR position <= ?)';

const boundsOf = (history: HistoryRow, now: number): readonly number[] => [
  Number(history.count) - Number(history.most_events),
  Number(history.bytes) - Number(history.most_bytes),
  now - Number(history.most_microseconds),
];
