import type { SessionName } from '../access/saved-session.js';

/** A UUIDv7, which begins with the time of its creation (RFC 9562 §5.7). */
const timed = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** How far a client's clock may be off, in milliseconds. */
const toleranceMs = 60_000;

/** A store of sessions that survives its processes. */
export interface StoreAge {
  /** For how long it has kept sessions, in milliseconds. */
  readonly ms: number;
  /** Whether it has replaced another one that was in use: a running process has used both. */
  readonly isReplacement: boolean;
}

/**
 * Whether a store may lack a session because it is younger than that. One that is known to be a replacement may lack any
 * session that may be older. Otherwise the client is more likely new than one that outlived the store and all processes:
 * the time in its id must be earlier than the store by more than its clock may be off.
 */
export function mayPredate(session: SessionName, store: StoreAge, keptSeconds: number): boolean {
  if (store.ms >= oldestAgeMs(session, keptSeconds)) return false;
  return store.isReplacement || ageOf(session) === undefined || isEarlierThan(session, store.ms);
}

/** Whether a session carries a time, and that is earlier than `sinceMs` ago by more than a clock may be off. */
export function isEarlierThan(session: SessionName, sinceMs: number): boolean {
  const ageMs = ageOf(session);
  return ageMs !== undefined && ageMs > sinceMs + toleranceMs;
}

/** Whether a session is so old that a store that does not know it may have forgotten it, and what its client got. */
export function mayBeForgotten(session: SessionName, keptSeconds: number): boolean {
  return isEarlierThan(session, keptSeconds * 1000);
}

/**
 * How old a session can be, in milliseconds: since the time in its id, otherwise as long as sessions are kept, as from
 * the time of a clock that is too far ahead.
 */
export function oldestAgeMs(session: SessionName, keptSeconds: number): number {
  const keptMs = keptSeconds * 1000;
  const ageMs = ageOf(session);
  return ageMs === undefined || ageMs < -toleranceMs ? keptMs : Math.min(Math.max(ageMs, 0), keptMs);
}

/** The time since that in the id, in milliseconds; negative from a clock that is ahead. */
function ageOf({ id }: SessionName): number | undefined {
  const [, high, low] = timed.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Date.now() - Number.parseInt(high + low, 16);
}
