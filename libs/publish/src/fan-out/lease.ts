import type { PublishOutbox } from '../outbox/publish.outbox.js';
import type { Clock } from '../publish.options.js';

/** Another owner has, or may have, the publish now: the remaining sends and writes are left to it. */
export class LeaseLost extends Error {}

/** One claim's hold on its publish. A process suspended for longer than the lease renews it before going on. */
export class Lease {
  private renewing?: Promise<boolean>;
  private isLost = false;

  /** @param until - when it runs out, by the steady clock */
  constructor(
    private readonly outbox: PublishOutbox,
    readonly owner: string,
    private readonly publishId: string,
    private readonly leaseMs: number,
    private until: number,
    private readonly clocks: { readonly now: Clock; readonly steady: Clock },
  ) {}

  /** Whether the lease excludes any other owner at this moment. */
  get isHeld(): boolean {
    return !this.isLost && this.clocks.steady() < this.until;
  }

  /**
   * Renews the lease. Answers false, for good, once another owner has taken over; concurrent callers share the answer.
   */
  renew(): Promise<boolean> {
    this.renewing ??= this.renewed().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async renewed(): Promise<boolean> {
    if (this.isLost) return false;
    const { now, steady } = this.clocks;
    const until = steady() + this.leaseMs;
    this.isLost = !(await this.outbox.renew(this.owner, this.publishId, now() + this.leaseMs));
    this.until = until;
    return !this.isLost;
  }
}
