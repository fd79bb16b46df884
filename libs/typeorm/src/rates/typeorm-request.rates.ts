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
    this.earnedBack.forget();
    for (const limit of limits) {
      const seconds = await takeFrom(this.database, limit, { count: countOf(limit), atOnce: limit.atOnce });
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    for (const limit of limits) await giveBackTo(this.database, limit);
  }
}
