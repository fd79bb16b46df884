import type { SessionName } from '../access/saved-session.js';

/** A UUIDv7, which begins with the time of its creation (RFC 9562 §5.7). */
const timed = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** How far a client's clock may be ahead, in milliseconds; the time in an id from further ahead is not believed. */
const aheadMs = 60_000;

/**
 * How old a session can be, in milliseconds: since the time in its id, otherwise as long as sessions are kept. A store
 * that is older cannot have lost it.
 */
export function oldestAgeMs({ id }: SessionName, keptSeconds: number): number {
  const keptMs = keptSeconds * 1000;
  const [, high, low] = timed.exec(id) ?? [];
  if (high === undefined || low === undefined) return keptMs;
  const ageMs = Date.now() - Number.parseInt(high + low, 16);
  return ageMs < -aheadMs ? keptMs : Math.min(Math.max(ageMs, 0), keptMs);
}
