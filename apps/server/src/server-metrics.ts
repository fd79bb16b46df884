import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from 'rookery/common';
import { StorageHealth } from 'rookery/typeorm';
import { Readiness } from './health/readiness.js';

/** What the server says of itself: whether it is ready, its version, and what Node says of a process. */
@Injectable()
export class ServerMetrics {
  readonly registry = new Registry();

  constructor(readiness: Readiness, storage: StorageHealth) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'rookery_build_info',
      help: 'Always 1; the version is a label',
      labelNames: ['version'],
      registers: [this.registry],
    }).set({ version: version }, 1);
    new Gauge({
      name: 'rookery_ready',
      help: '1 while new work may be sent here, 0 while the database takes no writes, Redis is away or it shuts down',
      registers: [this.registry],
      // Of workers of one machine: whether all are.
      aggregator: 'min',
      async collect() {
        this.set((await readiness.status()) === 'ok' ? 1 : 0);
      },
    });
    new Gauge({
      name: 'rookery_database_write_seconds',
      help: 'How long the latest write took that was made to see whether the database takes any',
      registers: [this.registry],
      aggregator: 'max',
      async collect() {
        await readiness.status();
        this.set(storage.writeSeconds);
      },
    });
  }
}
