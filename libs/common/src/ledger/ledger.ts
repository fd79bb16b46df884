import { Account, type Quotas } from './account.js';

/** How many accounts are kept without looking which of them are empty. */
const keptAccounts = 1000;

/** What the holders of each kind may hold, and the process as a whole. */
export type LedgerQuotas<Kind extends string, What extends string> = Readonly<Record<Kind | 'process', Quotas<What>>>;

/**
 * Who holds how much of what in this process: networks, users or apps, and those below them. Amounts of a rate are paid
 * back with time, others are given back. An account is forgotten once it is empty, never for others: a holder cannot get
 * rid of what it owes by opening many accounts.
 */
export class Ledger<Kind extends string, What extends string> {
  readonly process: Account<What>;
  private readonly accounts = new Map<string, Map<string, Account<What>>>();
  private count = 0;
  private sweptAt = keptAccounts;

  constructor(private readonly quotas: LedgerQuotas<Kind, What>) {
    this.process = new Account('process', quotas.process);
  }

  /** What the process holds of each thing that it has a quota for. */
  get totals(): Readonly<Partial<Record<What, number>>> {
    // The keys of quotas are what they limit.
    const limited = Object.keys(this.quotas.process) as What[];
    return Object.fromEntries(limited.map((what) => [what, this.process.held(what)])) as Record<What, number>;
  }

  /** The account of a named holder: the same one for as long as it holds or owes anything. */
  of(kind: Kind, name: string, above = this.process): Account<What> {
    let named = this.accounts.get(kind);
    if (!named) this.accounts.set(kind, (named = new Map()));
    let account = named.get(name);
    if (account) return account;
    if (this.count >= this.sweptAt) this.sweep();
    account = new Account(name, this.quotas[kind], above);
    named.set(name, account);
    this.count++;
    return account;
  }

  /** An account that only its holder knows, such as a connection's. */
  open(kind: Kind, above = this.process): Account<What> {
    return new Account('', this.quotas[kind], above);
  }

  /** The named holder of a kind that has to give way while the process holds too much: the one that holds most. */
  largest(kind: Kind, what: What): Account<What> | undefined {
    let largest: Account<What> | undefined;
    for (const account of this.accounts.get(kind)?.values() ?? [])
      if (account.held(what) > (largest?.held(what) ?? 0)) largest = account;
    return largest;
  }

  private sweep(): void {
    for (const named of this.accounts.values())
      for (const [name, account] of named) if (account.isEmpty && named.delete(name)) this.count--;
    this.sweptAt = Math.max(keptAccounts, 2 * this.count);
  }
}
