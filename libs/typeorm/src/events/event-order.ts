import type { Database } from '../database/database.js';

/** The order of all kept events in a database; see EventOrderEntity. */
export interface EventOrder {
  readonly first: number;
  readonly latest: number;
}

export const nowMicroseconds = (): number => Date.now() * 1000;

/** Reads the order of events. In a new database, it begins now. */
export async function eventOrder(database: Database): Promise<EventOrder> {
  return (await read(database)) ?? (await begin(database));
}

async function begin(database: Database): Promise<EventOrder> {
  const now = nowMicroseconds();
  await database.execute(
    `INSERT INTO rookery_event_order (name, first, latest, forgotten) VALUES ('events', ?, ?, ?)
     ON CONFLICT (name) DO NOTHING`,
    [now, now, now],
  );
  // Another process may have been faster.
  return (await read(database))!;
}

async function read(database: Database): Promise<EventOrder | undefined> {
  const [row] = await database.read<{ readonly first: number | string; readonly latest: number | string }>(
    "SELECT first, latest FROM rookery_event_order WHERE name = 'events'",
  );
  return row && { first: Number(row.first), latest: Number(row.latest) };
}
