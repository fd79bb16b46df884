import { Injectable } from '@nestjs/common';
import { type RequestLimit, RequestRates } from 'rookery/internal/common';
import { clientNetwork, networkLimits } from 'rookery/internal/http';
import { setTimeout as wait } from 'node:timers/promises';
import { tooManyFailures } from '../console.errors.js';

const failuresPerMinute = 5;
/** The most addresses remembered for a correct password. */
const maxProven = 10_000;
/** Spreads the retries while other processes return the attempts of correct passwords. */
const secondLookMs = (): number => 100 + 400 * Math.random();

/**
 * Limits wrong passwords to 5 a minute from one address, over all processes. An attempt is counted before it is
 * compared, and returned if correct: of any number of concurrent guesses, five are compared. Beyond the limit an
 * address is always refused, so that a correct guess cannot be told from a wrong one.
 */
@Injectable()
export class SignInRate {
  /** Addresses whose latest password at this process was correct: scripts send it with each request. */
  private readonly proven = new Set<string>();
  /** Concurrent attempts with the same password from the same address count once. */
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(private readonly rates: RequestRates) {}

  /**
   * @param compare whether the password is correct
   * @throws ConsoleError 429 for an address with too many wrong passwords
   */
  async isRight(ip: string, given: string, compare: () => boolean): Promise<boolean> {
    const address = addressOf(ip);
    if (this.proven.delete(address) && compare()) return this.prove(address);
    const guess = `${address} ${given}`;
    const known = this.underWay.get(guess);
    if (known) return known;
    const counted = this.counted(ip, address, compare).finally(() => this.underWay.delete(guess));
    this.underWay.set(guess, counted);
    return counted;
  }

  private async counted(ip: string, address: string, compare: () => boolean): Promise<boolean> {
    const limits = limitsOf(ip);
    const seconds = (await this.rates.take(limits)) && (await this.taken(limits));
    if (seconds > 0) throw tooManyFailures(seconds);
    if (!compare()) return false;
    await this.rates.giveBack(limits);
    return this.prove(address);
  }

  private async taken(limits: readonly RequestLimit[]): Promise<number> {
    await wait(secondLookMs());
    return this.rates.take(limits);
  }

  private prove(address: string): true {
    if (this.proven.size >= maxProven) this.proven.clear();
    this.proven.add(address);
    return true;
  }
}

function limitsOf(ip: string): readonly RequestLimit[] {
  const [perSecond, atOnce] = [failuresPerMinute / 60, failuresPerMinute];
  const limits = networkLimits('console failures of', ip, perSecond, atOnce);
  return limits.length > 0 ? limits : [{ name: `console failures of ${ip}`, perSecond, atOnce }];
}

/** An IPv6 subscriber has a whole network of addresses. */
const addressOf = (ip: string): string => clientNetwork(ip) ?? ip;
