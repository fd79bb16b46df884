import { run, type Work } from '../database/statement.js';

/** How long a history without new events is known to have had some. */
const rememberMicroseconds = 2 * 86_400_000_000;

/** How many rows a step may delete, so that it holds up the process for a few milliseconds only. */
export const mostAtOnce = 500;

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

interface OldRow {
  readonly position: number | string;
  readonly events_before: number | string;
  readonly bytes_before: number | string;
}

/** Whether {@link forgetting} would find anything; parameters: now in epoch microseconds, and in milliseconds. */
export const anythingDue = `SELECT 1 FROM rookery_event_order
  WHERE EXISTS (SELECT 1 FROM rookery_histories WHERE due_at <= ?)
     OR EXISTS (SELECT 1 FROM rookery_remembered_events WHERE ends_at <= ?)`;

/**
 * One step: deletes some of the events beyond the bounds of their histories, and some of what cache channels no longer
 * remember.
 *
 * @param now in epoch microseconds
 * @returns whether there may be more
 */
export function* forgetting(now: number): Work<boolean> {
  yield* run(
    `DELETE FROM rookery_remembered_events WHERE name IN (
       SELECT name FROM rookery_remembered_events WHERE ends_at <= ? ORDER BY ends_at LIMIT ?)`,
    [now / 1000, mostAtOnce / 5],
  );
  const histories = yield* run<HistoryRow>(
    `SELECT name, id, latest, count, bytes, most_events, most_microseconds, most_bytes FROM rookery_histories
     WHERE due_at <= ? ORDER BY due_at LIMIT ?`,
    [now, mostAtOnce / 5],
  );
  let left = mostAtOnce;
  for (const history of histories) {
    if (left <= 0) return true;
    // A look at a history costs as much as some rows.
    left -= 5 + (yield* trimming(history, now, left));
  }
  return left <= 0 || histories.length === mostAtOnce / 5;
}

/** @returns how many events it has deleted */
function* trimming(history: HistoryRow, now: number, most: number): Work<number> {
  const rows = yield* run<OldRow>(
    `SELECT position, events_before, bytes_before FROM rookery_kept_events
     WHERE history_id = ? ORDER BY position LIMIT ?`,
    [history.id, most + 1],
  );
  const isOld = isBeyond(history, now);
  const found = rows.findIndex((row) => !isOld(row));
  const old = Math.min(found === -1 ? rows.length : found, most);
  if (old > 0)
    yield* run('DELETE FROM rookery_kept_events WHERE history_id = ? AND position <= ?', [
      history.id,
      rows[old - 1]!.position,
    ]);
  const next = rows[old];
  if (next) {
    // One that is beyond the bounds as well stays due.
    const dueAt = isOld(next) ? now : Number(next.position) + Number(history.most_microseconds);
    // If an event came meanwhile, its bounds may be others: the history stays due.
    yield* run('UPDATE rookery_histories SET due_at = ? WHERE name = ? AND latest = ?', [
      dueAt,
      history.name,
      history.latest,
    ]);
  } else yield* ending(history, now);
  return old;
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

function isBeyond(history: HistoryRow, now: number): (row: OldRow) => boolean {
  const firstKept = Number(history.count) - Number(history.most_events);
  const firstByte = Number(history.bytes) - Number(history.most_bytes);
  const oldest = now - Number(history.most_microseconds);
  return ({ position, events_before, bytes_before }) =>
    Number(events_before) < firstKept || Number(bytes_before) < firstByte || Number(position) <= oldest;
}
