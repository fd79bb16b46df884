import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { jobOf, showWebhookBacklog, webhookDelivery } from '#webhooks';
import { MemoryJobStore } from 'rookery/jobs';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const jobs = new MemoryJobStore();

it('reports how many webhooks wait, and how long the first has been due', async () => {
  const registry = new Registry();
  showWebhookBacklog(registry, 'shop', jobs);
  expect(await registry.metrics()).toContain('shop_waiting_webhooks 0\n');
  expect(await registry.metrics()).toContain('shop_oldest_waiting_webhook_seconds 0\n');

  const request = { owner: 'app', url: 'https://example.com', headers: {}, body: '{}' };
  await jobs.add([1, 2].map(() => jobOf(webhookDelivery(request, Date.now()))));
  vi.advanceTimersByTime(2500);
  expect(await registry.metrics()).toContain('shop_waiting_webhooks 2\n');
  expect(await registry.metrics()).toContain('shop_oldest_waiting_webhook_seconds 2.5\n');
});

it('reports nothing while the storage is unavailable', async () => {
  const registry = new Registry();
  const away = () => Promise.reject(new Error('away'));
  showWebhookBacklog(registry, 'shop', { size: away, backlog: away });
  expect(await registry.metrics()).toContain('shop_waiting_webhooks Nan\n');
});
