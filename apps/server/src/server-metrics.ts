import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';
import { version } from 'rookery/common';
import { StorageHealth } from 'rookery/typeorm';
import { Readiness } from './health/readiness.js';

/** What the server says of itself: whether it is ready, its version, and what Node says of a process. */
@Injectable()
export class ServerMetrics {
  readonly registry = new Registry();

  constructor(readiness: Readiness, storage: StorageHealth) {
    collectDefaultMetrics({ register: this.registry });
    const build = this.gauge('rookery_build_info', 'Always 1; the version is a label', { labelNames: ['version'] });
    build.set({ version }, 1);
    // Of workers of one machine, whether all are ready, and the slowest of their writes.
    this.gauge(
      'rookery_ready',
      '1 while new work may be sent here, 0 while the database takes no writes, Redis is away or it shuts down',
      {
        aggregator: 'min',
        async collect() {
          this.set((await readiness.status()) === 'ok' ? 1 : 0);
        },
      },
    );
    this.gauge(
      'rookery_database_write_seconds',
      'How long the latest write took that was made to see whether the database takes any',
      {
        aggregator: 'max',
        async collect() {
          await readiness.status();
          this.set(storage.writeSeconds);
        },
      },
    );
  }

  private gauge(name: string, help: string, how: Omit<GaugeConfiguration<string>, 'name' | 'help'>): Gauge {
    return new Gauge({ name, help, registers: [this.registry], ...how });
  }
}
