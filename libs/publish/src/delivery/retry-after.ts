/** The longest wait that a gateway can request: a day. */
const longestMs = 24 * 3600 * 1000;

/** The statuses with which a service or a proxy was not ready for a request, besides 5xx. */
const unready = new Set([408, 409, 423, 425, 429, 499]);

/**
 * Whether an answer asks to send again later, rather than judge the request: by its status, or by a Retry-After.
 *
 * @param waitMs - see {@link retryAfterMs}
 */
export const asksForLater = (status: number, waitMs: number | undefined): boolean =>
  status >= 500 || unready.has(status) || waitMs !== undefined;

/** A Retry-After header, as seconds or a date, in milliseconds from `now`; `undefined` if invalid or absent. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text.trim() === '') return undefined;
  const wait = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestMs);
}
