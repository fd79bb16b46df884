import { expect, it } from 'vitest';
import { settingsOf } from '#common';
import type { Deliveries } from './fan-out/deliveries.js';
import { PublishMetrics } from './metrics.js';
import type { BacklogWatch } from './outbox/backlog-watch.js';
import { DuePublishes } from './outbox/due-publishes.js';
import { MemoryPublishOutbox } from './outbox/memory-publish.outbox.js';
import { PublishSettings } from './publish.options.js';
import { PublishService } from './publish.service.js';

const hourMs = 3_600_000;

it('answers a repeat with the same key the first publish for 24 hours, and no longer', async () => {
  let now = 1_700_000_000_000;
  const outbox = new MemoryPublishOutbox();
  const publishes = new PublishService(
    { find: () => ({ id: 'instance', secretKey: 'secret' }) },
    outbox,
    new DuePublishes(),
    { check: () => {}, refusalOf: () => undefined } as unknown as Deliveries,
    settingsOf(PublishSettings, {}),
    new PublishMetrics(),
    { assertRoom: async () => undefined } as unknown as BacklogWatch,
    () => now,
  );
  const publish = async (): Promise<string> => {
    await outbox.forgetKeys(now);
    const body = { interests: ['news'], fcm: { notification: { title: 'hi' } } };
    return (await publishes.publishToInterests('instance', body, { idempotencyKey: 'key' })).publishId;
  };
  const first = await publish();
  now += 24 * hourMs - 1;
  expect(await publish()).toBe(first);
  now += 1;
  expect(await publish()).not.toBe(first);
});
