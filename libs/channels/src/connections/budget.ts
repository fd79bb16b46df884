import type { ChannelsLimits } from '../app/channels-limits.js';

/** How often something may happen: each time is paid back after `everyMs`, and `atOnce` of them may be owed. */
interface Rate {
  readonly everyMs: number;
  readonly atOnce: number;
}

/** The rates of all connections. */
export type BudgetRates = Readonly<Record<'subscribes' | 'newChannels' | 'refusals', Rate>>;

export function budgetRates(limits: ChannelsLimits): BudgetRates {
  // A client that returns subscribes to all its channels at once, and each may be new or refused.
  const rate = (count: number, perMs: number): Rate => ({
    everyMs: perMs / count,
    atOnce: Math.max(count, limits.subscriptions),
  });
  return {
    subscribes: rate(limits.subscribesPerSecond, 1000),
    newChannels: rate(limits.newChannelsPerMinute, 60_000),
    refusals: rate(limits.refusalsPerSecond, 1000),
  };
}

/** How many refusals above the rate are announced before the client is closed. */
const maxWarnings = 10;

/** What one connection may cause in a time. Of each rate it keeps the time at which everything is paid back. */
export class Budget {
  private subscribes = 0;
  private newChannels = 0;
  private refusals = 0;

  constructor(private readonly rates: BudgetRates) {}

  /** Takes one more of a kind, if there is budget for it. */
  take(kind: 'subscribes' | 'newChannels'): boolean {
    const rate = this.rates[kind];
    const now = performance.now();
    const owedUntil = withOneMore(this[kind], rate, now);
    if (owed(owedUntil, rate, now) > rate.atOnce) return false;
    this[kind] = owedUntil;
    return true;
  }

  /** Counts a refused message. Above the rate, the client is warned some times before it is to be closed. */
  takeRefusal(): 'within' | 'warned' | 'exceeded' {
    const { refusals } = this.rates;
    const now = performance.now();
    this.refusals = withOneMore(this.refusals, refusals, now);
    const above = owed(this.refusals, refusals, now) - refusals.atOnce;
    if (above > maxWarnings) return 'exceeded';
    return above > 0 ? 'warned' : 'within';
  }
}

const withOneMore = (owedUntil: number, { everyMs }: Rate, now: number): number => Math.max(owedUntil, now) + everyMs;

/** How many are not paid back; nothing is owed of what has no limit. */
const owed = (owedUntil: number, { everyMs }: Rate, now: number): number =>
  everyMs === 0 ? 0 : Math.round((owedUntil - now) / everyMs);
