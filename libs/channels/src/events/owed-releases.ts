import { dropOldest, pause } from '#common';
import { claimMs, type IdempotencyKeys, type KeyedRequest } from '../storage/idempotency.keys.js';

const pauseMs = 500;
const maxAtOnce = 100;
/** Beyond this number, the oldest claims are left to expire. */
const most = 10_000;

/** Claims that could not be released because their store was down: retried until they expire. */
export class OwedReleases {
  /** With the time at which the claim expires, by `performance.now()`. */
  private readonly owed = new Map<KeyedRequest, number>();
  private isBusy = false;

  constructor(private readonly keys: IdempotencyKeys) {}

  add(keyed: KeyedRequest): void {
    this.owed.set(keyed, performance.now() + claimMs);
    dropOldest(this.owed, most);
    void this.releaseAll();
  }

  private async releaseAll(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.owed.size > 0) if (!(await this.releaseSome())) await pause(pauseMs);
    this.isBusy = false;
  }

  /** @returns whether all of them are released or expired */
  private async releaseSome(): Promise<boolean> {
    const some = [...this.owed].slice(0, maxAtOnce);
    const released = await Promise.all(some.map(([keyed, endsAt]) => this.isReleased(keyed, endsAt)));
    for (const [at, [keyed]] of some.entries()) if (released[at]) this.owed.delete(keyed);
    return !released.includes(false);
  }

  private async isReleased(keyed: KeyedRequest, endsAt: number): Promise<boolean> {
    try {
      await this.keys.release(keyed);
      return true;
    } catch {
      return performance.now() >= endsAt;
    }
  }
}
