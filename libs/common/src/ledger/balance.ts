/** What one holder may hold of one thing. */
export interface Quota {
  readonly most: number;
  /** How much is paid back in a second. Without it, an amount is held until it is given back. */
  readonly perSecond?: number;
}

/** Sums of fractions are a little off. */
const rounding = 1e-6;

/** What one holder holds of one thing. */
export class Balance {
  private amount = 0;
  /** When the amount was right: a time of `performance.now()`, which is never set back. */
  private at = 0;

  /** The amount held now, or the current debt where it is paid back at a rate; 0 for an unlimited rate. */
  held({ perSecond = 0 }: Quota): number {
    if (perSecond === 0 || this.amount === 0) return this.amount;
    const now = performance.now();
    const paidBack = perSecond === Infinity ? Infinity : ((now - this.at) / 1000) * perSecond;
    this.amount = Math.max(0, this.amount - paidBack);
    this.at = now;
    return this.amount;
  }

  /** How much more is held, with so much more, than the quota allows; 0 if it fits. */
  above(quota: Quota, amount: number): number {
    const above = this.held(quota) + amount - quota.most;
    return above > rounding ? above : 0;
  }

  /** Adds an amount, or gives it back, whatever the quota allows. */
  add(quota: Quota, amount: number): void {
    const held = this.held(quota);
    if (held === 0) this.at = performance.now();
    this.amount = Math.max(0, held + amount);
  }
}
