import { Balance, type Quota } from './balance.js';

/** The quotas of a kind of holder. What it has no quota for is not counted there; `Infinity` counts without a limit. */
export type Quotas<What extends string> = { readonly [Each in What]?: Quota };

/** What one account holds of one thing that it has a quota for. */
interface Holding<What extends string> {
  readonly quota: Quota;
  readonly balance: Balance;
  /** Of the accounts directly below, the one that held most when it last got more. */
  largest?: Account<What> | undefined;
}

/**
 * What one holder holds, and with it those above: a connection's amounts are also those of its network and of the
 * process.
 */
export class Account<What extends string> {
  // One look-up finds all that is known of a thing: accounts change with each event.
  private readonly holdings: { [Each in What]?: Holding<What> } = {};

  constructor(
    readonly name: string,
    private readonly quotas: Quotas<What>,
    private readonly above?: Account<What>,
  ) {}

  held(what: What): number {
    const holding = this.holdings[what];
    return holding ? holding.balance.held(holding.quota) : 0;
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
    const holding = this.holdings[what];
    if (holding) return holding.balance.above(holding.quota, amount);
    const quota = this.quotas[what];
    return quota ? Math.max(0, amount - quota.most) : 0;
  }

  /** Adds an amount here and in the accounts above, or gives it back with a negative one, whatever the quotas allow. */
  add(what: What, amount: number): void {
    const holding = this.holding(what);
    holding?.balance.add(holding.quota, amount);
    const { above } = this;
    if (!above) return;
    above.add(what, amount);
    above.noteLargest(what, this, holding?.balance.held(holding.quota) ?? 0);
  }

  /** Whether nothing is held or owed. */
  get isEmpty(): boolean {
    for (const what in this.holdings) if (this.held(what) > 0) return false;
    return true;
  }

  private holding(what: What): Holding<What> | undefined {
    const known = this.holdings[what];
    if (known) return known;
    const quota = this.quotas[what];
    return quota && (this.holdings[what] = { quota, balance: new Balance(), largest: undefined });
  }

  private refusingAbove(what: What, amount: number): Account<What> | undefined {
    const { above } = this;
    if (!above) return undefined;
    return above.hasRoomFor(this, what, amount) ? above.refusingAbove(what, amount) : above;
  }

  /** @param held of the thing, by the account below */
  private noteLargest(what: What, below: Account<What>, held: number): void {
    const holding = this.holdings[what];
    if (!holding) return;
    const { largest } = holding;
    if (largest === below) {
      // Its holder may be gone.
      if (held === 0) holding.largest = undefined;
    } else if (held > 0 && (!largest || largest.held(what) < held)) holding.largest = below;
  }

  private hasRoomFor(below: Account<What>, what: What, amount: number): boolean {
    const excess = this.excess(what, amount);
    if (excess === 0) return true;
    const holding = this.holdings[what];
    const most = holding?.largest?.held(what) ?? 0;
    return excess <= this.quotas[what]!.most && below.held(what) + amount <= most / 2;
  }
}
