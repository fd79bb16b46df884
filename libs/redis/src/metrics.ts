import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { ThisNode } from 'rookery/common';
import { RedisConnection } from './connection/redis.connection.js';

/** What RedisModule counts, for Prometheus: register it with the host's own or serve `registry.metrics()`. */
@Injectable()
export class RedisMetrics {
  readonly registry = new Registry();

  constructor(redis: RedisConnection, node: ThisNode) {
    const registers = [this.registry];
    new Counter({
      name: 'rookery_redis_outages_total',
      help: 'Times that Redis was away from this process',
      registers,
      collect() {
        this.reset();
        this.inc(redis.outages);
      },
    });
    new Gauge({
      name: 'rookery_redis_away_seconds',
      help: 'For how long Redis has been away from this process; 0 while it answers',
      registers,
      collect() {
        this.set(redis.awaySeconds);
      },
    });
    new Gauge({
      name: 'rookery_processes_alive',
      help: 'Processes that share this Redis, this one included',
      registers,
      collect() {
        this.set(node.others + 1);
      },
    });
  }
}
