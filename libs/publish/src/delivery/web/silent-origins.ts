import { dropOldest } from '#common';

/** How long a send can stay unanswered before no more sends to its origin begin. */
const patienceMs = 3000;
const firstRestMs = 1000;
const longestRestMs = 60_000;
/** Any client can register a device, so origins are untrusted. */
const maxOrigins = 10_000;
/** After this many silences in a row, an origin counts as unknown again. */
const maxSilences = 3;

/** The state of one push service. */
interface Origin {
  pending: number;
  /** When it last answered or, if later, when the first pending send began. */
  heardAt: number;
  /** The number of consecutive silences, and the time before which they block new sends to it. */
  silences: number;
  restsUntil: number;
}

/**
 * Keeps sends from piling up at origins that do not answer. Any client can register an endpoint that never answers, and
 * each send to it would block a slot. Responsive origins are never delayed.
 */
export class SilentOrigins {
  private readonly origins = new Map<string, Origin>();
  /** Origins that have answered: they get more time than others. The most recent is last. */
  private readonly known = new Set<string>();

  /** @param firstTimeoutMs - how long to wait for an origin that has never answered */
  constructor(private readonly firstTimeoutMs = patienceMs) {}

  /** How long to wait for an answer, in milliseconds; `undefined`: the usual timeout. */
  timeoutMs(name: string): number | undefined {
    return this.known.has(name) ? undefined : this.firstTimeoutMs;
  }

  /**
   * Begins a send, which one of the other methods must end; or returns the milliseconds to wait before trying again.
   */
  begin(name: string, now: number): number {
    const origin = this.origins.get(name) ?? this.added(name);
    if (now < origin.restsUntil) return origin.restsUntil - now;
    if (isDoubtful(origin, now)) return patienceMs;
    if (origin.pending === 0) origin.heardAt = now;
    origin.pending += 1;
    return 0;
  }

  answered(name: string, now: number): void {
    if (!this.known.has(name)) this.learn(name);
    const origin = this.ended(name);
    if (!origin) return;
    origin.heardAt = now;
    origin.silences = 0;
    // Most origins need no state until the next send.
    if (origin.pending === 0) this.origins.delete(name);
  }

  /** Ends a send that was never made. */
  unasked(name: string): void {
    const origin = this.ended(name);
    if (origin?.pending === 0 && origin.silences === 0) this.origins.delete(name);
  }

  /** A send that began at `begunAt` got no answer; ignored if other sends were answered since. */
  silent(name: string, begunAt: number, now: number): void {
    const origin = this.ended(name);
    if (!origin || origin.heardAt > begunAt) return;
    origin.restsUntil = now + Math.min(longestRestMs, firstRestMs * 2 ** Math.min(origin.silences, 10));
    origin.silences += 1;
    if (origin.silences >= maxSilences) this.known.delete(name);
    // Sends that began together count only once.
    origin.heardAt = now;
  }

  private added(name: string): Origin {
    const origin = { pending: 0, heardAt: 0, silences: 0, restsUntil: 0 };
    this.origins.set(name, origin);
    dropOldest(this.origins, maxOrigins);
    return origin;
  }

  private learn(name: string): void {
    this.known.add(name);
    dropOldest(this.known, maxOrigins);
  }

  private ended(name: string): Origin | undefined {
    const origin = this.origins.get(name);
    if (origin && origin.pending > 0) origin.pending -= 1;
    return origin;
  }
}

/** Whether to wait for the pending sends first: after a silence, a single send is enough to test the origin. */
const isDoubtful = ({ pending, heardAt, silences }: Origin, now: number): boolean =>
  pending > 0 && (silences > 0 || now - heardAt > patienceMs);
