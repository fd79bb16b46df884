import { Injectable } from '@nestjs/common';
import { clientNetwork, RequestRates } from 'rookery/common';
import { tooManyFailures } from '../console.errors.js';

const failuresPerMinute = 5;
/** More addresses than that at once are not remembered one by one. */
const mostBlocked = 10_000;

/**
 * How often somebody may be wrong: 5 times a minute from one address, over all processes. An address that is over it is
 * refused whatever it says, so that a guess that is right cannot be told from one that is wrong.
 */
@Injectable()
export class SignInRate {
  private readonly blockedUntil = new Map<string, number>();

  constructor(private readonly rates: RequestRates) {}

  /** @throws ConsoleError 429 for an address that was wrong too often */
  check(ip: string): void {
    const until = this.blockedUntil.get(whoOf(ip)) ?? 0;
    const leftMs = until - Date.now();
    if (leftMs > 0) throw tooManyFailures(Math.ceil(leftMs / 1000));
    this.blockedUntil.delete(whoOf(ip));
  }

  /** Counts a wrong password. @throws ConsoleError 429 when it was one too many */
  async failed(ip: string): Promise<void> {
    const who = whoOf(ip);
    const name = `console failures of ${who}`;
    const seconds = await this.rates.take([{ name, perSecond: failuresPerMinute / 60, atOnce: failuresPerMinute }]);
    if (seconds === 0) return;
    if (this.blockedUntil.size >= mostBlocked) this.blockedUntil.clear();
    this.blockedUntil.set(who, Date.now() + seconds * 1000);
    throw tooManyFailures(seconds);
  }
}

/** A subscriber of IPv6 has a whole network of addresses. */
const whoOf = (ip: string): string => clientNetwork(ip) ?? ip;
