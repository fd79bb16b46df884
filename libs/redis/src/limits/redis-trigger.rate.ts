import { Injectable } from '@nestjs/common';
import { TriggerRate } from 'rookery/channels';
import { RedisConnection } from '../connection/redis.connection.js';
import { partitionOf, word } from '../keys.js';
import { takeEvents } from './scripts.js';

/** In Redis, by its clock: one rate for all processes, in one round trip. */
@Injectable()
export class RedisTriggerRate extends TriggerRate {
  constructor(private readonly redis: RedisConnection) {
    super();
  }

  /** @throws Unavailable when Redis is away: nothing can be triggered then */
  async take(appId: string, limit: number, events: number): Promise<boolean> {
    if (limit === 0) return false;
    const key = `${this.redis.keys.in(partitionOf(appId))}triggers:${word(appId)}`;
    return (await this.redis.run(takeEvents, [key], [limit, Math.min(events, limit)])) === 1;
  }
}
