import type { Registry } from 'prom-client';
import type { JobStore } from 'rookery/jobs';
import { askedGauge } from '#common';

/** Adds gauges for the size and age of a whole webhook queue. Without the storage they have no value. */
export function showWebhookBacklog(
  registry: Registry,
  prefix: string,
  store: Pick<JobStore, 'size' | 'backlog'>,
): void {
  const orUnknown = (value: () => Promise<number>) => () => value().catch(() => Number.NaN);
  askedGauge(registry, {
    name: `${prefix}_waiting_webhooks`,
    help: 'Webhooks that are not delivered yet, in the whole queue',
    value: orUnknown(() => store.size()),
  });
  askedGauge(registry, {
    name: `${prefix}_oldest_waiting_webhook_seconds`,
    help: 'For how many seconds the oldest unclaimed one has been due; 0 when none is due',
    value: orUnknown(async () => {
      const now = Date.now();
      const { oldestDueAt = now } = await store.backlog(now);
      return (now - oldestDueAt) / 1000;
    }),
  });
}
