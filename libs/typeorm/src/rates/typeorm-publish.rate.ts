import { Injectable } from '@nestjs/common';
import { PublishRate } from 'rookery/publish';
import { Database } from '../database/database.js';

const second = 1_000_000;

/**
 * In a database: one rate for all processes, whose clocks must agree to within a part of a second. Each request takes
 * its part of a second from the time at which all are earned back; that time may be a second ahead.
 */
@Injectable()
export class TypeOrmPublishRate extends PublishRate {
  constructor(private readonly database: Database) {
    super();
  }

  async take(instanceId: string, perSecond: number, now: number): Promise<number> {
    // In microseconds: a thousand requests a second have one each millisecond.
    const [at, part] = [Math.round(now * 1000), Math.max(1, Math.round(second / perSecond))];
    const taken = await this.database.execute(
      `INSERT INTO rookery_publish_rates (instance_id, free_at) VALUES (?, ?)
       ON CONFLICT (instance_id) DO UPDATE SET free_at =
         CASE WHEN rookery_publish_rates.free_at > ? THEN rookery_publish_rates.free_at + ? ELSE excluded.free_at END
       WHERE rookery_publish_rates.free_at <= ? RETURNING instance_id`,
      [instanceId, at + part, at, part, at + second - part],
    );
    return taken.length > 0 ? 0 : 1;
  }
}
