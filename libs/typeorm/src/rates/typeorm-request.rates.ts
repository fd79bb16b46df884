import { Injectable } from '@nestjs/common';
import { countOf, type RequestLimit, RequestRates } from '#common';
import { Database } from '../database/database.js';
import { EarnedBack } from './earned-back.js';
import { giveBackTo, takeFrom } from './take-from.js';

/**
 * In a database: one rate for all processes, whose clocks must agree to within a part of a second. Each request runs
 * one statement, and each name has a row until all of its requests are available again. For many requests, use
 * {@link TypeOrmPartedRequestRates}.
 */
@Injectable()
export class TypeOrmRequestRates extends RequestRates {
  private readonly earnedBack: EarnedBack;

  constructor(private readonly database: Database) {
    super();
    this.earnedBack = new EarnedBack(database);
  }

  async take(limits: readonly RequestLimit[]): Promise<number> {
    for (const limit of limits) {
      const seconds = await this.takeOne(limit);
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    for (const limit of limits) await this.giveOneBack(limit);
  }

  protected takeOne(limit: RequestLimit): Promise<number> {
    return this.ask(limit, countOf(limit), limit.atOnce);
  }

  protected giveOneBack(limit: RequestLimit): Promise<void> {
    return giveBackTo(this.database, limit);
  }

  protected ask(limit: RequestLimit, count: number, atOnce: number): Promise<number> {
    this.earnedBack.forget();
    return takeFrom(this.database, limit, { count, atOnce });
  }
}
