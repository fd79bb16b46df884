import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { newPartition, publishOf } from 'rookery/publish';
import {
  type Database,
  openDatabase,
  TypeOrmDeviceRepository,
  TypeOrmPublishOutbox,
  TypeOrmStorageModule,
  TypeOrmJobStore,
} from 'rookery/internal/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { startPublishApp } from '../support/publish-app.js';
import { until } from '../support/until.js';

const publish = (publishAt?: number) => publishOf('instance', { interests: ['news'], fcm: {} }, 1000, publishAt);

describePostgres('a worker on PostgreSQL', () => {
  const { database, url } = usePostgres();
  let other: Database;
  let woken = 0;
  let stop: () => Promise<void>;
  const listening = () =>
    database().read<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN rookery%' AND datname = current_database()`,
    );

  beforeAll(async () => {
    other = await openDatabase(url());
    stop = new TypeOrmPublishOutbox(other).jobs.watch(() => (woken += 1))!;
    await until(() => woken === 1, 'the listener looks once when it is connected');
  });
  afterAll(() => other.dataSource.destroy());

  it('is woken by work of other processes, and not by its own', async () => {
    const outbox = new TypeOrmPublishOutbox(database());
    await new TypeOrmPublishOutbox(other).add(publish());
    await outbox.add(publish(9000));
    await outbox.add(publish());
    await until(() => woken >= 2, 'a publish wakes it');
    const asked = { id: 'me', now: 1000, limit: 1, perKey: 1, busy: new Set<string>(), leaseMs: 1000 };
    const [job] = await outbox.jobs.claim(asked);
    const partition = newPartition('fcm', 0);
    const range = { ...partition, from: 'fcm-8', cursor: 'fcm-8' };
    const change = { again: [], settled: [], handedOver: { partition: range, dueAt: 1000 } };
    await outbox.save(job!, { ...partition, to: 'fcm-8' }, change);
    await until(() => woken >= 3, 'a range wakes it');
    await outbox.cancel('instance', job!.key, 1000);
    await until(() => woken >= 4, 'a cancellation wakes it');
    expect(woken).toBe(4);
  });

  it('listens again after a lost connection, and polls for missed work', async () => {
    const before = woken;
    for (const { pid } of await listening()) await database().read('SELECT pg_terminate_backend(?)', [pid]);
    await until(() => woken === before + 1, 'it has connected again');
    await new TypeOrmPublishOutbox(database()).add(publish());
    await until(() => woken === before + 2, 'a publish wakes it');
  });

  it('leaves no connection when it stops', async () => {
    expect(await listening()).toHaveLength(1);
    await stop();
    await until(async () => (await listening()).length === 0, 'the connection has ended');
  });

  it('is told of webhooks by other processes, at once and then once a second at most', async () => {
    const told: number[] = [];
    const queue = "owner's queue";
    const watching = new TypeOrmJobStore(other, queue);
    const end = watching.watch(() => told.push(performance.now()))!;
    await until(() => told.length === 1, 'it would hear of some');
    const store = new TypeOrmJobStore(database(), queue);
    onTestFinished(async () => {
      await end();
      await store.close();
    });
    for (let n = 0; n < 50; n++)
      await store.add([{ id: String(n), owner: 'app', key: 'key', dueAt: 0, data: '', state: '' }]);
    await until(() => told.length === 3, 'it is told of the first, and of those after it');
    // What is told of the first may come late, and 48 have come between them.
    expect(told[2]! - told[1]!).toBeGreaterThan(500);
    expect(await watching.size()).toBe(50);
  });

  it('sends at once what a process without a worker accepted, however rarely it polls', async () => {
    const start = (worker: boolean) =>
      startPublishApp({
        devices: { deviceRepository: TypeOrmDeviceRepository, imports: [TypeOrmStorageModule.forRoot({ url: url() })] },
        publish: {
          worker,
          pollMs: 600_000,
          publishOutbox: TypeOrmPublishOutbox,
          webhookOutbox: TypeOrmJobStore,
        },
      });
    const [api, worker] = [await start(false), await start(true)];
    const open = [api, worker];
    const close = () => Promise.all(open.splice(0).map((app) => app.close()));
    onTestFinished(async () => void (await close()));
    // The other for its webhooks
    await until(async () => (await listening()).length === 2, 'both listen');
    await api.registered(['hello']);
    const { json } = await api.publish({ interests: ['hello'], fcm: { data: { a: 'b' } } });
    await until(async () => (await api.status(json.publishId)).state === 'finished', 'the worker has sent it');
    expect([api.gateways.fcm.sent.length, worker.gateways.fcm.sent.length]).toEqual([0, 1]);
    await close();
    expect(await listening()).toEqual([]);
  });
});
