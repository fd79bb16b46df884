import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { ThisNode } from '#common';
import { RedisConnection } from './connection/redis.connection.js';

/** RedisModule's metrics for Prometheus: register them with the host's own or serve `registry.metrics()`. */
@Injectable()
export class RedisMetrics {
  readonly registry = new Registry();
  readonly outages: Gauge;
  readonly awaySeconds: Gauge;
  readonly processes: Gauge;

  constructor(redis: RedisConnection, node: ThisNode) {
    const gauge = (name: string, help: string, value: () => number): Gauge =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        // Over the workers of a machine: the worst value, or the one they share.
        aggregator: 'max',
        collect() {
          this.set(value());
        },
      });
    this.outages = gauge('rookery_redis_outages', 'How often this process lost Redis', () => redis.outages);
    this.awaySeconds = gauge(
      'rookery_redis_away_seconds',
      'Seconds since Redis became unreachable for this process; 0 while it answers',
      () => redis.awaySeconds,
    );
    this.processes = gauge(
      'rookery_processes_alive',
      'Processes that share this Redis, this one included',
      () => node.others + 1,
    );
  }
}
