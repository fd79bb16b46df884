/** Where a row stands in the order of claims: the earliest free first, then as they were added. */
export interface Turn {
  readonly free_at: number | string;
  readonly position: number | string;
}

/** An endpoint with something to claim, and where its first delivery stands. */
export interface FreeEndpoint extends Turn {
  readonly endpoint: string;
}

export const byTurn = (one: Turn, other: Turn): number =>
  Number(one.free_at) - Number(other.free_at) || Number(one.position) - Number(other.position);

const first = (column: string) =>
  `(SELECT w.${column} FROM rookery_webhooks w WHERE w.queue = ? AND w.endpoint = every.endpoint
    ORDER BY w.free_at, w.position LIMIT 1)`;

/**
 * The endpoints of a queue that have something free, in the order of their first deliveries. It steps through the
 * index from endpoint to endpoint, so a long queue of one costs no more than a short one.
 */
export const freeEndpoints = `
  WITH RECURSIVE every AS (
    SELECT MIN(endpoint) AS endpoint FROM rookery_webhooks WHERE queue = ?
    UNION ALL
    SELECT (SELECT MIN(w.endpoint) FROM rookery_webhooks w WHERE w.queue = ? AND w.endpoint > every.endpoint)
    FROM every WHERE every.endpoint IS NOT NULL
  ), heads AS (
    SELECT endpoint, ${first('free_at')} AS free_at, ${first('position')} AS position
    FROM every WHERE endpoint IS NOT NULL
  )
  SELECT endpoint, free_at, position FROM heads WHERE free_at <= ? ORDER BY free_at, position`;

/** The parameters of {@link freeEndpoints}. */
export const freeEndpointsOf = (queue: string, now: number): readonly unknown[] => [queue, queue, queue, queue, now];
