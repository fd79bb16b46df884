import { Injectable } from '@nestjs/common';
import { type RequestLimit, RequestRates } from 'rookery/common';
import { Database } from '../database/database.js';

const second = 1_000_000;

/**
 * In a database: one rate for all processes, whose clocks must agree to within a part of a second. Each request takes
 * its part of a second from the time at which all are earned back; that time may be ahead by what may come at once. Each
 * name has a row that stays: it is for names of one's own, such as instances, and not for those that anybody brings.
 */
@Injectable()
export class TypeOrmRequestRates extends RequestRates {
  constructor(private readonly database: Database) {
    super();
  }

  async take(limits: readonly RequestLimit[]): Promise<number> {
    for (const limit of limits) {
      const seconds = await this.takeOne(limit);
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  private async takeOne({ name, perSecond, atOnce }: RequestLimit): Promise<number> {
    // In microseconds: a thousand requests a second have one each millisecond.
    const [at, part] = [Date.now() * 1000, Math.max(1, Math.round(second / perSecond))];
    const taken = await this.database.execute(
      `INSERT INTO rookery_publish_rates (instance_id, free_at) VALUES (?, ?)
       ON CONFLICT (instance_id) DO UPDATE SET free_at =
         CASE WHEN rookery_publish_rates.free_at > ? THEN rookery_publish_rates.free_at + ? ELSE excluded.free_at END
       WHERE rookery_publish_rates.free_at <= ? RETURNING instance_id`,
      [name, at + part, at, part, at + (atOnce - 1) * part],
    );
    return taken.length > 0 ? 0 : Math.ceil(1 / perSecond);
  }
}
