import { Injectable } from '@nestjs/common';
import { dropOldest } from '../drop-oldest.js';
import { Balance, type Quota } from '../ledger/balance.js';
import { countOf, type RequestLimit, RequestRates } from './request.rates.js';

/** Clients may choose the names, for example by their addresses. */
const maxNames = 10_000;

/** In memory: each process counts for itself, and remembers the latest 10,000 names. */
@Injectable()
export class MemoryRequestRates extends RequestRates {
  /** Ordered by last use. */
  private readonly balances = new Map<string, Balance>();

  take(limits: readonly RequestLimit[]): number {
    for (const limit of limits) {
      const seconds = this.takeOne(limit);
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  giveBack(limits: readonly RequestLimit[]): void {
    for (const limit of limits) this.of(limit).add(quotaOf(limit), -countOf(limit));
  }

  private takeOne(limit: RequestLimit): number {
    const balance = this.of(limit);
    const quota = quotaOf(limit);
    const count = countOf(limit);
    const above = balance.above(quota, count);
    if (above > 0) return Math.ceil(above / limit.perSecond);
    balance.add(quota, count);
    return 0;
  }

  private of({ name }: RequestLimit): Balance {
    const balance = this.balances.get(name) ?? new Balance();
    this.balances.delete(name);
    this.balances.set(name, balance);
    dropOldest(this.balances, maxNames);
    return balance;
  }
}

const quotaOf = ({ atOnce, perSecond }: RequestLimit): Quota => ({ most: atOnce, perSecond });
