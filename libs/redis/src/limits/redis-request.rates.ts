import { Injectable } from '@nestjs/common';
import { countOf, MemoryRequestRates, type RequestLimit, RequestRates, Unavailable } from '#common';
import { integer } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import { giveRequestBack, takeRequest } from './scripts.js';

const second = 1_000_000;

/**
 * In Redis, by its clock: one rate for all processes, in one round trip. While it is away each process counts for
 * itself: push uses Redis for nothing else.
 */
@Injectable()
export class RedisRequestRates extends RequestRates {
  static readonly port = RequestRates;

  private readonly own = new MemoryRequestRates();

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async take(limits: readonly RequestLimit[]): Promise<number> {
    if (this.redis.awaySeconds > 0) return this.own.take(limits);
    const args = limits.flatMap((limit) => [partOf(limit), limit.atOnce, countOf(limit)]);
    try {
      return Math.ceil(integer(await this.redis.run(takeRequest, this.keysOf(limits), args)) / second);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return this.own.take(limits);
    }
  }

  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    if (this.redis.awaySeconds > 0) return this.own.giveBack(limits);
    try {
      await this.redis.run(
        giveRequestBack,
        this.keysOf(limits),
        limits.map((limit) => partOf(limit) * countOf(limit)),
      );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.own.giveBack(limits);
    }
  }

  private keysOf(limits: readonly RequestLimit[]): string[] {
    return limits.map(({ name }) => this.redis.keys.ofRates(name));
  }
}

/** The microseconds until a request is earned back. */
const partOf = ({ perSecond }: RequestLimit): number => Math.max(1, Math.round(second / perSecond));
