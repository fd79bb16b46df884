import { dropOldest } from '../drop-oldest.js';

const firstPauseMs = 250;
const longestPauseMs = 5000;
/** Any client can register a device at an origin of its own. */
const maxOrigins = 10_000;

/** An origin to which a proxy opened no connection that works. */
interface Failing {
  readonly error: Error;
  readonly failures: number;
  readonly until: number;
  /** Whether one request finds out if it works again. */
  isTried: boolean;
}

/**
 * Pauses for origins behind a proxy that refuses, or answers what no server would: requests then fail at once with the
 * last error, and one of them tries again after each pause.
 */
export class FailingOrigins {
  private readonly failing = new Map<string, Failing>();

  /** @param counts whether an error is one of the connection through the proxy */
  constructor(private readonly counts: (origin: URL, error: Error) => boolean) {}

  async request<FetchedAnswer>(url: URL, ask: () => Promise<FetchedAnswer>): Promise<FetchedAnswer> {
    const known = this.failing.size === 0 ? undefined : this.failing.get(url.origin);
    if (known && (known.isTried || performance.now() < known.until)) throw known.error;
    if (known) known.isTried = true;
    try {
      const answer = await ask();
      if (known) this.failing.delete(url.origin);
      return answer;
    } catch (error) {
      if (this.counts(url, error as Error)) this.failed(url.origin, known, error as Error);
      else if (known) known.isTried = false;
      throw error;
    }
  }

  /** Of requests that fail together, the first one counts. */
  private failed(origin: string, known: Failing | undefined, error: Error): void {
    if (this.failing.get(origin) !== known) return;
    const failures = (known?.failures ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    this.failing.set(origin, { error, failures, until: performance.now() + pauseMs, isTried: false });
    dropOldest(this.failing, maxOrigins);
  }
}
