import type { Registry } from 'prom-client';
import { askedGauge } from '../asked-gauge.js';
import type { WebhookBacklog, WebhookOutbox } from './webhook.outbox.js';

/** Shows how many webhooks wait in the whole of a queue, and for how long. Without the storage there is no figure. */
export function showWebhookBacklog(registry: Registry, prefix: string, outbox: Pick<WebhookOutbox, 'backlog'>): void {
  const told = (value: (backlog: WebhookBacklog, now: number) => number) => async () => {
    const now = Date.now();
    try {
      return value(await outbox.backlog(now), now);
    } catch {
      return Number.NaN;
    }
  };
  askedGauge(registry, {
    name: `${prefix}_waiting_webhooks`,
    help: 'Webhooks that are not delivered yet, in the whole of the queue',
    value: told(({ webhooks }) => webhooks),
  });
  askedGauge(registry, {
    name: `${prefix}_oldest_waiting_webhook_seconds`,
    help: 'How long the first of them that nobody sends has been due; 0 when none is',
    value: told(({ oldestDueAt }, now) => (oldestDueAt === undefined ? 0 : (now - oldestDueAt) / 1000)),
  });
}
