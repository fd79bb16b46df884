import { countOf, type RequestLimit } from '#common';
import type { Database } from '../database/database.js';

const second = 1_000_000;

/**
 * The tolerated difference between the clocks of processes. A time further ahead is from before a clock was set back.
 */
const clocksDiffer = 60 * second;

/**
 * Takes all of the requests or none. Each request moves the time at which the name has all of its requests again ahead
 * by its part of a second; that time may be ahead of now by at most the burst.
 * @returns 0, or the whole seconds after which as many requests are possible
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

/** Gives the requests of a limit back. A time in the past means that all are available, however old it is. */
export async function giveBackTo(database: Database, limit: RequestLimit): Promise<void> {
  await database.execute('UPDATE rookery_request_rates SET free_at = free_at - ? WHERE name = ?', [
    countOf(limit) * partOf(limit.perSecond),
    limit.name,
  ]);
}

/** The microseconds until a request is available again. */
const partOf = (perSecond: number): number => Math.max(1, Math.round(second / perSecond));
