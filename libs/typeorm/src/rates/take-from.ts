import { countOf, type RequestLimit } from 'rookery/common';
import type { Database } from '../database/database.js';

const second = 1_000_000;

/** So much the clocks of processes may differ. A time that is ahead by more was written before a clock was set back. */
const clocksDiffer = 60 * second;

/**
 * Takes requests from what a name may have, all or none: each takes its part of a second from the time at which all are
 * earned back, and that time may be ahead by what may come at once.
 * @returns 0, or the whole seconds after which there may be as many
 */
export async function takeFrom(
  database: Database,
  { name, perSecond, atOnce: most }: RequestLimit,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<number> {
  // In microseconds: a thousand requests a second have one each millisecond.
  const [at, part] = [Date.now() * 1000, partOf(perSecond)];
  const latest = at + most * part + clocksDiffer;
  const taken = await database.execute(
    `INSERT INTO rookery_request_rates (name, free_at) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET free_at =
       CASE WHEN rookery_request_rates.free_at BETWEEN ? AND ? THEN rookery_request_rates.free_at + ?
       ELSE excluded.free_at END
     WHERE rookery_request_rates.free_at <= ? OR rookery_request_rates.free_at > ? RETURNING name`,
    [name, at + count * part, at, latest, count * part, at + (atOnce - count) * part, latest],
  );
  return taken.length > 0 ? 0 : Math.ceil(count / perSecond);
}

/** Gives the requests of a limit back. A time that is over stands for all of them, however long it is over. */
export async function giveBackTo(database: Database, limit: RequestLimit): Promise<void> {
  await database.execute('UPDATE rookery_request_rates SET free_at = free_at - ? WHERE name = ?', [
    countOf(limit) * partOf(limit.perSecond),
    limit.name,
  ]);
}

/** The microseconds after which a request is earned back. */
const partOf = (perSecond: number): number => Math.max(1, Math.round(second / perSecond));
