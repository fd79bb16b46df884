import { Gauge, type Registry } from 'prom-client';

/** A figure that is asked for whenever the metrics are. */
export interface AskedGauge {
  readonly name: string;
  readonly help: string;
  /** NaN: it is not known at the moment. */
  readonly value: () => Promise<number>;
}

/** Adds a gauge that asks when it is scraped. */
export function askedGauge(registry: Registry, { name, help, value }: AskedGauge): void {
  const asked = new Gauge({
    name,
    help,
    registers: [],
    // Processes that share what is counted all tell the same.
    aggregator: 'max',
    async collect() {
      this.set(await value());
    },
  });
  registry.registerMetric(asked);
}
