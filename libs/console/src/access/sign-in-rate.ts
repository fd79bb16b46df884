import { Injectable } from '@nestjs/common';
import { clientNetwork, type RequestLimit, RequestRates } from 'rookery/common';
import { setTimeout as wait } from 'node:timers/promises';
import { tooManyFailures } from '../console.errors.js';

const failuresPerMinute = 5;
/** Only so many addresses are remembered for their right password. */
const mostProven = 10_000;
/** Until then other processes have given back what they took for the right password; they do not all look at once. */
const secondLookMs = (): number => 100 + 400 * Math.random();

/**
 * How often somebody may be wrong: 5 times a minute from one address, over all processes. A guess is counted before it is
 * looked at, and given back when it was right: of any number of guesses that come at once, five are looked at. An address
 * that is over it is refused whatever it says, so that a guess that is right cannot be told from one that is wrong.
 */
@Injectable()
export class SignInRate {
  /** Addresses whose last password, to this process, was right: a script says it with each request. */
  private readonly proven = new Set<string>();
  /** The same password from the same address at the same time is one guess. */
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(private readonly rates: RequestRates) {}

  /**
   * @param compare whether the password is right
   * @throws ConsoleError 429 for an address that was wrong too often
   */
  async isRight(ip: string, given: string, compare: () => boolean): Promise<boolean> {
    const address = addressOf(ip);
    if (this.proven.delete(address) && compare()) return this.prove(address);
    const guess = `${address} ${given}`;
    const known = this.underWay.get(guess);
    if (known) return known;
    const counted = this.counted(address, compare).finally(() => this.underWay.delete(guess));
    this.underWay.set(guess, counted);
    return counted;
  }

  private async counted(address: string, compare: () => boolean): Promise<boolean> {
    const limit = limitOf(address);
    const seconds = (await this.rates.take([limit])) && (await this.taken(limit));
    if (seconds > 0) throw tooManyFailures(seconds);
    if (!compare()) return false;
    await this.rates.giveBack([limit]);
    return this.prove(address);
  }

  private async taken(limit: RequestLimit): Promise<number> {
    await wait(secondLookMs());
    return this.rates.take([limit]);
  }

  private prove(address: string): true {
    if (this.proven.size >= mostProven) this.proven.clear();
    this.proven.add(address);
    return true;
  }
}

const limitOf = (address: string): RequestLimit => ({
  name: `console failures of ${address}`,
  perSecond: failuresPerMinute / 60,
  atOnce: failuresPerMinute,
});

/** A subscriber of IPv6 has a whole network of addresses. */
const addressOf = (ip: string): string => clientNetwork(ip) ?? ip;
