import { Injectable } from '@nestjs/common';
import { type RequestLimit, RequestRates } from 'rookery/common';
import { Database } from '../database/database.js';
import { giveBackTo, takeFrom } from './take-from.js';

/**
 * In a database: one rate for all processes, whose clocks must agree to within a part of a second. Each request is a
 * statement, and each name has a row that stays: it is for names of one's own, such as instances. For those that anybody
 * brings there is {@link TypeOrmPartedRequestRates}.
 */
@Injectable()
export class TypeOrmRequestRates extends RequestRates {
  constructor(private readonly database: Database) {
    super();
  }

  async take(limits: readonly RequestLimit[]): Promise<number> {
    for (const limit of limits) {
      const seconds = await takeFrom(this.database, limit, { count: 1, atOnce: limit.atOnce });
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    for (const limit of limits) await giveBackTo(this.database, limit);
  }
}
