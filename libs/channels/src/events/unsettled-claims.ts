import { dropOldest, pause } from '#common';
import { claimMs, type IdempotencyKeys, type KeyedRequest } from '../storage/idempotency.keys.js';

const pauseMs = 500;
const maxAtOnce = 100;
/** Beyond this number, the oldest claims are left to expire. */
const most = 10_000;

/** A claim that is to be released, or to get its answer, until it expires by `performance.now()`. */
interface Unsettled {
  readonly endsAt: number;
  readonly answer: string | undefined;
}

/** Claims that could neither be released nor get their answer, because their store was down: retried until they expire. */
export class UnsettledClaims {
  private readonly claims = new Map<KeyedRequest, Unsettled>();
  private isBusy = false;

  constructor(private readonly keys: IdempotencyKeys) {}

  /** @param answer of the request; without one, the claim is released */
  add(keyed: KeyedRequest, answer?: string): void {
    this.claims.set(keyed, { endsAt: performance.now() + claimMs, answer });
    dropOldest(this.claims, most);
    void this.settleAll();
  }

  private async settleAll(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.claims.size > 0) if (!(await this.settleSome())) await pause(pauseMs);
    this.isBusy = false;
  }

  /** @returns whether all of them are settled or expired */
  private async settleSome(): Promise<boolean> {
    const some = [...this.claims].slice(0, maxAtOnce);
    const settled = await Promise.all(some.map(([keyed, claim]) => this.isSettled(keyed, claim)));
    for (const [at, [keyed]] of some.entries()) if (settled[at]) this.claims.delete(keyed);
    return !settled.includes(false);
  }

  private async isSettled(keyed: KeyedRequest, { endsAt, answer }: Unsettled): Promise<boolean> {
    try {
      if (answer === undefined) await this.keys.release(keyed);
      else await this.keys.answer(keyed, answer);
      return true;
    } catch {
      return performance.now() >= endsAt;
    }
  }
}
