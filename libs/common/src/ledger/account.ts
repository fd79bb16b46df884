import { Balance, type Quota } from './balance.js';

/** The quotas of a kind of holder. What it has no quota for is not counted there; `Infinity` counts without a limit. */
export type Quotas<What extends string> = { readonly [Each in What]?: Quota };

/**
 * What one holder holds, and with it those above: a connection's amounts are also those of its network and of the
 * process.
 */
export class Account<What extends string> {
  private readonly balances: { [Each in What]?: Balance } = {};
  /** Of the accounts directly below, the one that held most when it last got more. */
  private readonly largest: { [Each in What]?: Account<What> } = {};

  constructor(
    readonly name: string,
    private readonly quotas: Quotas<What>,
    private readonly above?: Account<What>,
  ) {}

  held(what: What): number {
    const quota = this.quotas[what];
    return (quota && this.balances[what]?.held(quota)) ?? 0;
  }

  /**
   * Takes an amount here and in the accounts above, or nothing.
   * @returns the account whose quota does not allow it
   */
  take(what: What, amount = 1): Account<What> | undefined {
    const refusing = this.refusing(what, amount);
    if (!refusing) this.add(what, amount);
    return refusing;
  }

  /**
   * The account whose quota does not allow so much more, here or above. A full account above refuses those below it that
   * hold most, and goes on with those that hold less than half as much, up to twice its quota.
   */
  refusing(what: What, amount = 1): Account<What> | undefined {
    return this.excess(what, amount) > 0 ? this : this.refusingAbove(what, amount);
  }

  /** How much more is held, with so much more, than this account's own quota allows. */
  excess(what: What, amount = 0): number {
    const quota = this.quotas[what];
    if (!quota) return 0;
    return this.balances[what]?.above(quota, amount) ?? Math.max(0, amount - quota.most);
  }

  /** Adds an amount here and in the accounts above, or gives it back with a negative one, whatever the quotas allow. */
  add(what: What, amount: number): void {
    const { above } = this;
    const quota = this.quotas[what];
    if (quota) (this.balances[what] ??= new Balance()).add(quota, amount);
    if (!above) return;
    above.add(what, amount);
    above.noteLargest(what, this);
  }

  /** Whether nothing is held or owed. */
  get isEmpty(): boolean {
    for (const what in this.balances) if (this.held(what) > 0) return false;
    return true;
  }

  private refusingAbove(what: What, amount: number): Account<What> | undefined {
    const { above } = this;
    if (!above) return undefined;
    return above.hasRoomFor(this, what, amount) ? above.refusingAbove(what, amount) : above;
  }

  private noteLargest(what: What, below: Account<What>): void {
    const largest = this.largest[what];
    const held = below.held(what);
    if (largest === below) {
      // Its holder may be gone.
      if (held === 0) delete this.largest[what];
    } else if (held > 0 && (!largest || largest.held(what) < held)) this.largest[what] = below;
  }

  private hasRoomFor(below: Account<What>, what: What, amount: number): boolean {
    const excess = this.excess(what, amount);
    if (excess === 0) return true;
    const most = this.largest[what]?.held(what) ?? 0;
    return excess <= this.quotas[what]!.most && below.held(what) + amount <= most / 2;
  }
}
