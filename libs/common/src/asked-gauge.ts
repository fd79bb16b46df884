import { Gauge, type Registry } from 'prom-client';

/** A value that is read whenever the metrics are scraped. */
export interface AskedGauge {
  readonly name: string;
  readonly help: string;
  /** NaN: currently unknown. */
  readonly value: () => Promise<number>;
}

/** Adds a gauge that is read at each scrape. */
export function askedGauge(registry: Registry, { name, help, value }: AskedGauge): void {
  const asked = new Gauge({
    name,
    help,
    registers: [],
    // Processes that share the counted state all report the same value.
    aggregator: 'max',
    async collect() {
      this.set(await value());
    },
  });
  registry.registerMetric(asked);
}
