import { Injectable } from '@nestjs/common';
import { MemoryRequestRates, type RequestLimit, RequestRates, Unavailable } from 'rookery/common';
import { RedisConnection } from '../connection/redis.connection.js';
import { takeRequest } from './scripts.js';

const second = 1_000_000;

/**
 * In Redis, by its clock: one rate for all processes, in one round trip. While it is away each process counts for itself:
 * push needs Redis for nothing else.
 */
@Injectable()
export class RedisRequestRates extends RequestRates {
  private readonly own = new MemoryRequestRates();

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async take(limits: readonly RequestLimit[]): Promise<number> {
    if (this.redis.awaySeconds > 0) return this.own.take(limits);
    const keys = limits.map(({ name }) => this.redis.keys.ofRates(name));
    const args = limits.flatMap(({ perSecond, atOnce }) => [Math.max(1, Math.round(second / perSecond)), atOnce]);
    try {
      return Math.ceil(Number(await this.redis.run(takeRequest, keys, args)) / second);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return this.own.take(limits);
    }
  }
}
