import { Injectable } from '@nestjs/common';
import { dropOldest } from '../drop-oldest.js';
import { Balance, type Quota } from '../ledger/balance.js';
import { countOf, type RequestLimit, RequestRates } from './request.rates.js';

/** Clients may choose the names, for example by their addresses. */
const maxNames = 10_000;

/** How often names are forgotten that have earned back all of their requests, in milliseconds. */
const sweepMs = 60_000;

interface Counted {
  readonly balance: Balance;
  /** Of the latest limit by this name. */
  quota: Quota;
}

/**
 * In memory: each process counts for itself. A name is forgotten once all of its requests are earned back, and with more
 * than 10,000 names the one that was used longest ago.
 */
@Injectable()
export class MemoryRequestRates extends RequestRates {
  /** Ordered by last use. */
  private readonly names = new Map<string, Counted>();
  private sweeping: NodeJS.Timeout | undefined;

  take(limits: readonly RequestLimit[]): number {
    for (const limit of limits) {
      const seconds = this.takeOne(limit);
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  giveBack(limits: readonly RequestLimit[]): void {
    for (const limit of limits) {
      const { balance, quota } = this.of(limit);
      balance.add(quota, -countOf(limit));
    }
  }

  private takeOne(limit: RequestLimit): number {
    const { balance, quota } = this.of(limit);
    const count = countOf(limit);
    const above = balance.above(quota, count);
    if (above > 0) return Math.ceil(above / limit.perSecond);
    balance.add(quota, count);
    return 0;
  }

  private of({ name, atOnce, perSecond }: RequestLimit): Counted {
    const quota = { most: atOnce, perSecond };
    const counted = this.names.get(name) ?? { balance: new Balance(), quota };
    counted.quota = quota;
    this.names.delete(name);
    this.names.set(name, counted);
    dropOldest(this.names, maxNames);
    this.sweeping ??= this.sweepLater();
    return counted;
  }

  private sweep(): void {
    for (const [name, { balance, quota }] of this.names) if (balance.held(quota) === 0) this.names.delete(name);
    this.sweeping = this.names.size > 0 ? this.sweepLater() : undefined;
  }

  /** The timer does not keep the process alive. */
  private sweepLater(): NodeJS.Timeout {
    return setTimeout(() => this.sweep(), sweepMs).unref();
  }
}
