/** How long a send may wait for its answer before no more are begun to an origin that answers nobody. */
const patienceMs = 3000;
const firstRestMs = 1000;
const longestRestMs = 60_000;
/** Origins come from anybody who registers a device. */
const mostOrigins = 10_000;
/** So many silences in a row, and an origin is as good as unknown. */
const mostSilences = 3;

/** What is known of one push service. */
interface Origin {
  pending: number;
  /** When it answered last or, if that was before, when the first of the sends under way began. */
  heardAt: number;
  /** How often in a row it did not answer, and until when it is left alone for that. */
  silences: number;
  restsUntil: number;
}

/**
 * Keeps sends from piling up at origins that do not answer. Anybody can register an endpoint that never does, and each
 * send to it would keep a place that others wait for. One that answers is never held back.
 */
export class SilentOrigins {
  private readonly origins = new Map<string, Origin>();
  /** Those that have answered: they may take longer than others. The latest is last. */
  private readonly known = new Set<string>();

  /** @param firstTimeoutMs - how long an origin gets for its answer that has given none so far */
  constructor(private readonly firstTimeoutMs = patienceMs) {}

  /** How long to wait for an answer, in milliseconds; `undefined`: as long as for any. */
  timeoutMs(name: string): number | undefined {
    return this.known.has(name) ? undefined : this.firstTimeoutMs;
  }

  /** Begins a send, whose end one of the others tells; or answers after how many milliseconds to come back. */
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
    // Most origins are of no more interest until the next send.
    if (origin.pending === 0) this.origins.delete(name);
  }

  /** Nothing was sent after all. */
  unasked(name: string): void {
    const origin = this.ended(name);
    if (origin?.pending === 0 && origin.silences === 0) this.origins.delete(name);
  }

  /** No answer came to a send that began at `begunAt`; if others got theirs since, that says nothing of the origin. */
  silent(name: string, begunAt: number, now: number): void {
    const origin = this.ended(name);
    if (!origin || origin.heardAt > begunAt) return;
    origin.restsUntil = now + Math.min(longestRestMs, firstRestMs * 2 ** Math.min(origin.silences, 10));
    origin.silences += 1;
    if (origin.silences >= mostSilences) this.known.delete(name);
    // Those that began together count as one.
    origin.heardAt = now;
  }

  private added(name: string): Origin {
    const origin = { pending: 0, heardAt: 0, silences: 0, restsUntil: 0 };
    this.origins.set(name, origin);
    if (this.origins.size > mostOrigins) forgetOldest(this.origins);
    return origin;
  }

  private learn(name: string): void {
    this.known.add(name);
    if (this.known.size > mostOrigins) forgetOldest(this.known);
  }

  private ended(name: string): Origin | undefined {
    const origin = this.origins.get(name);
    if (origin && origin.pending > 0) origin.pending -= 1;
    return origin;
  }
}

/** Whether what is under way should be awaited first: where the last did not answer, one send tells enough. */
const isDoubtful = ({ pending, heardAt, silences }: Origin, now: number): boolean =>
  pending > 0 && (silences > 0 || now - heardAt > patienceMs);

function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  for (const oldest of kept.keys()) return void kept.delete(oldest);
}
