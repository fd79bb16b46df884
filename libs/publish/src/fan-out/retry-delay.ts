export interface Backoff {
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

/**
 * The wait after the n-th consecutive deferred try, in milliseconds: it doubles up to `longestRetryMs`, with jitter
 * over its upper half so that the retries do not hit a recovering gateway all at once. The gateway's own Retry-After
 * takes precedence.
 */
export function retryDelay(attempts: number, { firstRetryMs, longestRetryMs }: Backoff, wishMs = 0): number {
  const doubled = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 30));
  const spread = doubled * (0.5 + Math.random() / 2);
  return Math.ceil(Math.max(wishMs, spread));
}
