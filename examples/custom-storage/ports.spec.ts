import {
  contractApps,
  contractInstances,
  describeAppRepository,
  describeDeviceRepository,
  describeIdempotencyKeys,
  describeInstanceRepository,
  describePublishOutbox,
  describeReceiptRepository,
  describeRequestRates,
  describeSessionRepository,
  describeJobStore,
} from '@rookery/testing';
import { publishOf } from 'rookery/publish';
import { describe, expect, it } from 'vitest';
import { StoredAppRepository } from './src/ports/app.repository.js';
import { StoredDeviceRepository } from './src/ports/device.repository.js';
import { StoredIdempotencyKeys } from './src/ports/idempotency.keys.js';
import { StoredInstanceRepository } from './src/ports/instance.repository.js';
import { StoredPublishOutbox } from './src/ports/publish.outbox.js';
import { StoredReceiptRepository } from './src/ports/receipt.repository.js';
import { StoredRequestRates } from './src/ports/request.rates.js';
import { StoredSessionRepository } from './src/ports/session.repository.js';
import { StoredJobStore } from './src/ports/job.store.js';
import { LiveStore } from './src/store/live.store.js';
import type { Transaction } from './src/store/transaction.js';

// In memory, where the same documents are without the file: that it keeps them is shown in store.spec.ts.
describe('over documents', () => {
  describeAppRepository(async () => {
    const apps = new StoredAppRepository(new LiveStore());
    for (const app of contractApps) await apps.save(app);
    return apps;
  });
  describeInstanceRepository(async () => {
    const instances = new StoredInstanceRepository(new LiveStore());
    for (const instance of contractInstances) await instances.save(instance);
    return instances;
  });
  describeDeviceRepository(() => new StoredDeviceRepository(new LiveStore()));
  describeJobStore(() => new StoredJobStore(new LiveStore()));
  describePublishOutbox(() => new StoredPublishOutbox(new LiveStore()));
  describeIdempotencyKeys(() => new StoredIdempotencyKeys(new LiveStore()));
  describeReceiptRepository(() => new StoredReceiptRepository(new LiveStore()));
  describeSessionRepository(() => new StoredSessionRepository(new LiveStore()));
  describeRequestRates(() => new StoredRequestRates(new LiveStore()));
});

it('adds a publish in a transaction of the application’s own, or not at all', async () => {
  const store = new LiveStore();
  const outbox = new StoredPublishOutbox(store);
  const publish = publishOf('instance', { interests: ['news'], web: {} }, Date.now());
  let told = 0;
  const add = (documents: Transaction) =>
    outbox.add(publish, undefined, { transaction: documents, committed: () => (told += 1) });
  const undone = store.transact(async (documents) => {
    await add(documents);
    throw new Error('sold out');
  });
  await expect(undone).rejects.toThrow('sold out');
  expect([await outbox.knows('instance', publish.id), told]).toEqual([false, 0]);
  await store.transact(async (documents) => {
    documents.set('order', 1);
    await add(documents);
    expect(told).toBe(0);
  });
  expect([await outbox.knows('instance', publish.id), told]).toEqual([true, 1]);
  const refused = outbox.add(publish, undefined, { transaction: {}, committed: () => undefined });
  await expect(refused).rejects.toThrow('not a transaction of the DocumentStore');
});

it('changes the keys of an app, and refuses one that another has', async () => {
  const apps = new StoredAppRepository(new LiveStore());
  await apps.save({ id: 'one', key: 'a', secret: 's' });
  await apps.save({ id: 'one', key: 'b', secret: 's' });
  expect([await apps.findByKey('a'), (await apps.findByKey('b'))?.id]).toEqual([undefined, 'one']);
  await expect(apps.save({ id: 'two', key: 'b', secret: 's' })).rejects.toThrow(
    'The app "one" has the key "b" already',
  );
  expect(await apps.findById('two')).toBeUndefined();
});
