import type { HistoryPage, Position } from 'rookery/channels';
import type { Database } from '../database/database.js';
import { nowMicroseconds } from './event-order.js';
import { joinSharedText, type SharedTextRow, sharedTextColumns, textOn } from './shared-texts.js';

/** Digits of an event's position. Other messages have more digits after those of the latest event. */
const digits = 16;

interface HistoryRow {
  readonly first: number | string;
  readonly now: number | string;
  readonly forgotten: number | string;
  readonly id: number | string | null;
  readonly latest: number | string | null;
  readonly count: number | string | null;
  readonly bytes: number | string | null;
  readonly most_events: number | string | null;
  readonly most_microseconds: number | string | null;
  readonly most_bytes: number | string | null;
}

interface EventRow extends SharedTextRow {
  readonly position: number | string;
  readonly previous: number | string;
  readonly events_before: number | string;
  readonly socket_id: string | null;
}

/** @param name of the app and the channel */
export async function historyPage(
  database: Database,
  name: string,
  channel: string,
  limit: number,
  after: Position | undefined,
): Promise<HistoryPage> {
  const [row] = await database.read<HistoryRow>(
    `SELECT o.first, o.latest AS now, o.forgotten, h.id, h.latest, h.count, h.bytes, h.most_events,
       h.most_microseconds, h.most_bytes
     FROM rookery_event_order o LEFT JOIN rookery_histories h ON h.name = ? WHERE o.name = 'events'`,
    [name],
  );
  if (!row) throw new Error('The table rookery_event_order has lost its row: restart the server');
  const now = Number(row.now);
  const place = after === undefined ? undefined : placeOf(after);
  const isKnown = place === undefined || (place >= Number(row.first) && place <= now);
  const from = isKnown ? (place ?? 0) : 0;
  const events = row.id === null || limit === 0 ? [] : await eventsOf(database, row, from, now, limit);
  return {
    events: events.map((event) => {
      const { position, socket_id: except } = event;
      const text = textOn(channel, event);
      return except === null ? { position: String(position), text } : { position: String(position), text, except };
    }),
    isComplete: isKnown && isComplete(row, events[0], place),
    now: String(now),
  };
}

/** Leaves out those beyond the bounds, which are deleted later, and those that were added meanwhile. */
function eventsOf(database: Database, row: HistoryRow, after: number, now: number, limit: number) {
  const oldest = nowMicroseconds() - Number(row.most_microseconds);
  return database.read<EventRow>(
    `SELECT e.position, e.previous, e.events_before, e.socket_id, ${sharedTextColumns}
     FROM rookery_kept_events e ${joinSharedText}
     WHERE history_id = ? AND position > ? AND position <= ? AND events_before >= ? AND bytes_before >= ?
     ORDER BY position LIMIT ?`,
    [
      row.id,
      Math.max(after, oldest),
      now,
      Number(row.count) - Number(row.most_events),
      Number(row.bytes) - Number(row.most_bytes),
      limit,
    ],
  );
}

/** Whether nothing between the place and the first event was dropped. Each event knows the position before it. */
function isComplete({ id, latest, forgotten }: HistoryRow, first: EventRow | undefined, place?: number): boolean {
  if (place === undefined) return first ? Number(first.events_before) === 0 : id === null;
  if (first) return Number(first.previous) <= place;
  return place >= Number(id === null ? forgotten : latest);
}

/** @returns -1 for a position of another broker */
function placeOf(position: Position): number {
  return /^\d{16}(\d{10})?$/.test(position) ? Number(position.slice(0, digits)) : -1;
}
