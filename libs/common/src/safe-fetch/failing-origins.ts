import { dropOldest } from '../drop-oldest.js';
import { FailurePauses, type Turn } from './failure-pauses.js';

/** Any client can register a device at an origin of its own. */
const maxOrigins = 10_000;

/** An origin to which a proxy opened no connection that works. */
interface Failing {
  readonly pauses: FailurePauses;
  error: Error;
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
    const turn = known ? known.pauses.begin() : 'usual';
    if (known && !turn) throw known.error;
    try {
      const answer = await ask();
      if (known) this.failing.delete(url.origin);
      return answer;
    } catch (error) {
      if (this.counts(url, error as Error)) this.failed(url.origin, turn!, error as Error);
      else known?.pauses.ended(turn!, undefined);
      throw error;
    }
  }

  private failed(origin: string, turn: Turn, error: Error): void {
    const failing = this.failing.get(origin) ?? {
      pauses: new FailurePauses({ afterFailures: 1, firstMs: 250, longestMs: 5000 }),
      error,
    };
    failing.error = error;
    failing.pauses.ended(turn, false);
    this.failing.set(origin, failing);
    dropOldest(this.failing, maxOrigins);
  }
}
