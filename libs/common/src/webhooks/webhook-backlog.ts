import type { Registry } from 'prom-client';
import type { JobBacklog, JobStore } from 'rookery/jobs';
import { askedGauge } from '../asked-gauge.js';

/** Shows how many webhooks wait in the whole of a queue, and for how long. Without the storage there is no figure. */
export function showWebhookBacklog(registry: Registry, prefix: string, store: Pick<JobStore, 'backlog'>): void {
  const told = (value: (backlog: JobBacklog, now: number) => number) => async () => {
    const now = Date.now();
    try {
      return value(await store.backlog(now), now);
    } catch {
      return Number.NaN;
    }
  };
  askedGauge(registry, {
    name: `${prefix}_waiting_webhooks`,
    help: 'Webhooks that are not delivered yet, in the whole of the queue',
    value: told(({ jobs }) => jobs),
  });
  askedGauge(registry, {
    name: `${prefix}_oldest_waiting_webhook_seconds`,
    help: 'How long the first of them that nobody sends has been due; 0 when none is',
    value: told(({ oldestDueAt }, now) => (oldestDueAt === undefined ? 0 : (now - oldestDueAt) / 1000)),
  });
}
