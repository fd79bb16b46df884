export interface Backoff {
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

/**
 * The wait after the n-th try in a row that was put off, in milliseconds: doubling, at most `longestRetryMs`, spread
 * over its upper half so that a gateway that comes back is not met by all at once. The gateway's own wish comes first.
 */
export function retryDelay(attempts: number, { firstRetryMs, longestRetryMs }: Backoff, wishMs = 0): number {
  const doubled = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 30));
  const spread = doubled * (0.5 + Math.random() / 2);
  return Math.ceil(Math.max(wishMs, spread));
}
