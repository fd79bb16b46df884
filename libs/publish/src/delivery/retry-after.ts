/** The longest wait that a gateway can request: a day. */
const longestMs = 24 * 3600 * 1000;

/** A Retry-After header, as seconds or a date, in milliseconds from `now`; `undefined` if invalid or absent. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text.trim() === '') return undefined;
  const wait = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestMs);
}
