import { expect, it } from 'vitest';
import { settingsOf } from '#common';
import { publishOf } from './publish.js';
import { PublishSettings } from './publish.options.js';
import { newPartition } from './outbox/partition.js';
import { MemoryPublishOutbox } from './outbox/memory-publish.outbox.js';
import { Retention } from './retention.js';

const day = 86_400_000;

it('forgets finished publishes after 30 days, with their reports, and never an unfinished one', async () => {
  let now = 0;
  const outbox = new MemoryPublishOutbox();
  const retention = new Retention(settingsOf(PublishSettings, {}), outbox, () => now);
  const publish = () => publishOf('instance', { interests: ['a'], fcm: {} }, now);
  const [finished, open] = [publish(), publish()];
  await outbox.add(finished, { key: 'k', fingerprint: 'f', expiresAt: day });
  const [job] = await outbox.jobs.claim({ id: 'me', now, limit: 1, perKey: 1, busy: new Set(), leaseMs: day });
  await outbox.save(job!, newPartition('fcm', 0));
  await outbox.finish(job!, now);
  await outbox.add(open);
  await outbox.report({ publishId: finished.id, deviceId: 'fcm-1', platform: 'fcm', event: 'open' });

  now = 30 * day;
  await retention.sweep();
  expect(await outbox.knows('instance', finished.id)).toBe(true);
  expect(await outbox.reports(finished.id)).toHaveLength(1);

  now += 1;
  await retention.sweep();
  expect(await outbox.knows('instance', finished.id)).toBe(false);
  expect(await outbox.reports(finished.id)).toEqual([]);
  expect(await outbox.knows('instance', open.id)).toBe(true);
  expect(await outbox.add(publish(), { key: 'k', fingerprint: 'f', expiresAt: 99 * day })).toMatchObject({
    outcome: 'added',
  });
});
