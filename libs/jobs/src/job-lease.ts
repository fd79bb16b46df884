import type { ClaimedJob } from './job.js';
import type { JobStore } from './job.store.js';

/** A run's lease on its job. A process that was suspended for longer than the lease must renew it to continue. */
export class JobLease {
  private renewing?: Promise<boolean> | undefined;
  private isLost = false;

  /** @param until - when it expires, by the steady clock */
  constructor(
    private readonly store: JobStore,
    private readonly job: ClaimedJob,
    private readonly leaseMs: number,
    private until: number,
    private readonly clocks: { readonly now: () => number; readonly steady: () => number },
  ) {}

  /** Whether the lease excludes any other runner at this moment. */
  get isHeld(): boolean {
    return !this.isLost && this.clocks.steady() < this.until;
  }

  /**
   * Renews the lease. Returns false, permanently, once another runner has the job; concurrent callers share the result.
   */
  renew(): Promise<boolean> {
    this.renewing ??= this.renewed().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async renewed(): Promise<boolean> {
    if (this.isLost) return false;
    const until = this.clocks.steady() + this.leaseMs;
    this.isLost = !(await this.store.renew(this.job, this.clocks.now() + this.leaseMs));
    this.until = until;
    return !this.isLost;
  }
}
