import type { BrokerEvent } from 'rookery/channels';
import type { Dialect } from '../database/dialect.js';
import { Insertion } from '../database/many-rows.js';
import { run, type Work } from '../database/statement.js';
import { shareTexts, textsToShare } from './shared-texts.js';

/** An event to be written. */
export interface EventToKeep {
  /** Of its app and channel. */
  readonly name: string;
  readonly channel: string;
  readonly text: string;
  readonly except: string | undefined;
  readonly history: BrokerEvent['history'];
  /** Set on cache channels: when it is forgotten, in epoch milliseconds. */
  readonly endsAt: number | undefined;
}

interface HistoryRow {
  readonly name: string;
  readonly id: number | string;
  readonly latest: number | string;
  readonly count: number | string;
  readonly bytes: number | string;
}

interface Bounds {
  readonly events: number;
  readonly microseconds: number;
  readonly bytes: number;
}

/** A history while events are added to it. */
interface Grown {
  readonly name: string;
  readonly id: number;
  latest: number;
  count: number;
  bytes: number;
  /** Of the latest event, with what it says of the bounds. */
  history: BrokerEvent['history'];
  bounds: Bounds;
  dueAt: number;
}

const keepEvents = new Insertion(
  `INSERT INTO rookery_kept_events
     (history_id, position, previous, events_before, bytes_before, socket_id, text)`,
);
const growHistories = new Insertion(
  `INSERT INTO rookery_histories
     (name, id, latest, count, bytes, most_events, most_microseconds, most_bytes, due_at)`,
  `ON CONFLICT (name) DO UPDATE SET latest = excluded.latest, count = excluded.count, bytes = excluded.bytes,
     most_events = excluded.most_events, most_microseconds = excluded.most_microseconds,
     most_bytes = excluded.most_bytes, due_at = CASE WHEN excluded.due_at < rookery_histories.due_at
       THEN excluded.due_at ELSE rookery_histories.due_at END`,
);
const remember = new Insertion(
  'INSERT INTO rookery_remembered_events (name, position, text, ends_at)',
  'ON CONFLICT (name) DO UPDATE SET position = excluded.position, text = excluded.text, ends_at = excluded.ends_at',
);

/** The positions that one transaction gives, in order, and the latest event of the histories forgotten before it. */
export interface TakenPositions {
  readonly positions: readonly number[];
  readonly forgotten: number;
}

/**
 * Takes positions for events. The first writer locks the row of the order until the commit, so an event that becomes
 * visible has a greater position than all before.
 *
 * @param now in epoch microseconds
 */
export function* takePositions(count: number, now: number): Work<TakenPositions> {
  const [order] = yield* run<{ readonly latest: number | string; readonly forgotten: number | string }>(
    `UPDATE rookery_event_order SET latest = ? + CASE WHEN latest < ? THEN ? ELSE latest END
     WHERE name = 'events' RETURNING latest, forgotten`,
    [count, now, now],
  );
  if (!order) throw new Error('The table rookery_event_order has lost its row: restart the server');
  const latest = Number(order.latest);
  const positions: number[] = [];
  for (let position = latest - count + 1; position <= latest; position++) positions.push(position);
  return { positions, forgotten: Number(order.forgotten) };
}

/**
 * Adds events to the histories and to what cache channels remember, in their order.
 *
 * @param now in epoch microseconds
 * @returns whether a history has grown so far beyond its bounds that events should be deleted now
 */
export function* keeping(
  events: readonly EventToKeep[],
  { positions, forgotten }: TakenPositions,
  now: number,
  { each, list }: Dialect,
): Work<boolean> {
  const shared = textsToShare(events, positions, now);
  if (shared) yield* shareTexts.rows(shared.rows);
  const written = shared?.events ?? events;
  const names = new Set<string>();
  for (const { name, history } of events) if (history) names.add(name);
  const grown = new Map<string, Grown>();
  if (names.size > 0) {
    const rows = yield* run<HistoryRow>(
      `SELECT name, id, latest, count, bytes FROM rookery_histories WHERE name IN (SELECT value FROM ${each})`,
      [list(names)],
    );
    for (const row of rows) grown.set(row.name, grownFrom(row));
    const isDue = yield* adding(events, written, positions, grown, forgotten, now);
    yield* remembering(written, positions);
    return isDue;
  }
  yield* remembering(written, positions);
  return false;
}

function* adding(
  events: readonly EventToKeep[],
  written: readonly EventToKeep[],
  positions: readonly number[],
  grown: Map<string, Grown>,
  forgotten: number,
  now: number,
): Work<boolean> {
  const rows: unknown[][] = [];
  let isDue = false;
  for (let index = 0; index < events.length; index++) {
    const { name, history, text, except } = events[index]!;
    if (!history) continue;
    const position = positions[index]!;
    let known = grown.get(name);
    if (!known) grown.set(name, (known = begun(name, position, forgotten)));
    rows.push([known.id, position, known.latest, known.count, known.bytes, except ?? null, written[index]!.text]);
    known.latest = position;
    known.count += 1;
    known.bytes += Buffer.byteLength(text);
    if (known.history !== history) {
      known.history = history;
      known.bounds = boundsIn(history);
    }
    known.dueAt = Math.min(known.dueAt, position + known.bounds.microseconds);
    if (isTimeToDelete(known)) [known.dueAt, isDue] = [now, true];
  }
  yield* keepEvents.rows(rows);
  yield* growHistories.rows(
    Array.from(grown.values(), ({ name, id, latest, count, bytes, bounds, dueAt }) => [
      name,
      id,
      latest,
      count,
      bytes,
      bounds.events,
      bounds.microseconds,
      bounds.bytes,
      dueAt,
    ]),
  );
  return isDue;
}

/** The last of several on one channel wins. */
function* remembering(events: readonly EventToKeep[], positions: readonly number[]): Work<void> {
  const latest = new Map<string, readonly unknown[]>();
  for (let index = 0; index < events.length; index++) {
    const { name, text, endsAt } = events[index]!;
    if (endsAt !== undefined) latest.set(name, [name, positions[index], text, endsAt]);
  }
  yield* remember.rows([...latest.values()]);
}

const unbounded: Bounds = { events: 0, microseconds: 0, bytes: 0 };

const boundsIn = ({ events, seconds, bytes }: NonNullable<BrokerEvent['history']>): Bounds => ({
  events,
  microseconds: Math.ceil(seconds * 1_000_000),
  bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER),
});

const grownFrom = ({ name, id, latest, count, bytes }: HistoryRow): Grown => ({
  name,
  id: Number(id),
  latest: Number(latest),
  count: Number(count),
  bytes: Number(bytes),
  history: undefined,
  bounds: unbounded,
  dueAt: Infinity,
});

const begun = (name: string, id: number, forgotten: number): Grown => ({
  name,
  id,
  latest: forgotten,
  count: 0,
  bytes: 0,
  history: undefined,
  bounds: unbounded,
  dueAt: Infinity,
});

/** Now and then, because deleting one by one would take longer. Readers skip what is beyond the bounds. */
function isTimeToDelete({ count, bytes, bounds }: Grown): boolean {
  if (count <= bounds.events && bytes <= bounds.bytes) return false;
  return count % Math.min(512, Math.max(16, bounds.events >> 1)) === 0;
}
