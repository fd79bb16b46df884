import type { Turn } from './job-row.js';

/** A key with a job to claim, and the turn of its first job. */
export interface FreeKey extends Turn {
  readonly key: string;
}

const first = (column: string) =>
  `(SELECT j.${column} FROM rookery_jobs j WHERE j.queue = ? AND j.key = every.key
    ORDER BY j.free_at, j.position LIMIT 1)`;

/**
 * The keys of a queue that have a free job, ordered by their first jobs. The query steps through the index from key to
 * key, so a key with many jobs costs no more than one with few.
 */
export const freeKeys = `
  WITH RECURSIVE every AS (
    SELECT MIN(key) AS key FROM rookery_jobs WHERE queue = ?
    UNION ALL
    SELECT (SELECT MIN(j.key) FROM rookery_jobs j WHERE j.queue = ? AND j.key > every.key)
    FROM every WHERE every.key IS NOT NULL
  ), heads AS (
    SELECT key, ${first('free_at')} AS free_at, ${first('position')} AS position
    FROM every WHERE key IS NOT NULL
  )
  SELECT key, free_at, position FROM heads WHERE free_at <= ? ORDER BY free_at, position`;

/** The parameters of {@link freeKeys}. */
export const freeKeysOf = (queue: string, now: number): readonly unknown[] => [queue, queue, queue, queue, now];
