export interface Backoff {
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

/**
 * The wait after the n-th deferred try in a row, in milliseconds: doubling, at most `longestRetryMs`, with jitter over
 * its upper half so that a recovering gateway is not hit by all at once. The gateway's own Retry-After takes
 * precedence.
 */
export function retryDelay(attempts: number, { firstRetryMs, longestRetryMs }: Backoff, wishMs = 0): number {
  const doubled = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 30));
  const spread = doubled * (0.5 + Math.random() / 2);
  return Math.ceil(Math.max(wishMs, spread));
}
