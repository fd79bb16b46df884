import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';
import { version } from 'rookery/internal/common';
import { StorageHealth } from 'rookery/typeorm';
import { Readiness } from './health/readiness.js';

/** The server's own metrics: readiness, version, and Node's metrics of the process. */
@Injectable()
export class ServerMetrics {
  readonly registry = new Registry();

  constructor(readiness: Readiness, storage: StorageHealth) {
    collectDefaultMetrics({ register: this.registry });
    const build = this.gauge('rookery_build_info', 'Always 1; the version is a label', { labelNames: ['version'] });
    build.set({ version }, 1);
    // Over the workers of one machine: whether all are ready, and the slowest write.
    this.gauge(
      'rookery_ready',
      '1 while new work may be sent here; 0 while the database takes no writes, Redis is away, or during shutdown',
      {
        aggregator: 'min',
        async collect() {
          this.set((await readiness.status()) === 'ok' ? 1 : 0);
        },
      },
    );
    this.gauge('rookery_database_write_seconds', 'How long the latest test write to the database took', {
      aggregator: 'max',
      async collect() {
        await readiness.status();
        this.set(storage.writeSeconds);
      },
    });
  }

  private gauge(name: string, help: string, how: Omit<GaugeConfiguration<string>, 'name' | 'help'>): Gauge {
    return new Gauge({ name, help, registers: [this.registry], ...how });
  }
}
