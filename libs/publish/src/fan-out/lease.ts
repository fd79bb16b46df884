import type { PublishOutbox } from '../outbox/publish.outbox.js';
import type { Clock } from '../publish.options.js';

/** Another owner has the publish now, or may have: whatever this one still wanted to send or to write is left to him. */
export class LeaseLost extends Error {}

/** The hold of one claim on its publish. A process that was stopped for longer than it lasts asks before it goes on. */
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

  /** Whether nobody else can have the publish at this moment. */
  get isHeld(): boolean {
    return !this.isLost && this.clocks.steady() < this.until;
  }

  /** Makes it last anew. Answers false, for good, when another has taken over; those who ask meanwhile share the answer. */
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
