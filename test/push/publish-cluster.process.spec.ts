import { afterAll, beforeAll, expect, it } from 'vitest';
import { TypeOrmDeviceRepository, TypeOrmPublishOutbox, TypeOrmStorageModule, TypeOrmJobStore } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { addDevices } from '../support/many-devices.js';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';
import { until } from '../support/until.js';

const fcm = { data: { a: 'b' } };

describeDatabases('two processes that share a database', ({ database, url }) => {
  let nodes: Awaited<ReturnType<typeof startPublishApp>>[];
  beforeAll(async () => {
    await addDevices(database(), { instanceId: instance.id, interest: 'news', count: 2000 });
    const start = () =>
      startPublishApp({
        devices: { deviceRepository: TypeOrmDeviceRepository, imports: [TypeOrmStorageModule.forRoot({ url: url() })] },
        publish: {
          pageSize: 100,
          concurrentPublishes: 2,
          publishOutbox: TypeOrmPublishOutbox,
          webhookOutbox: TypeOrmJobStore,
        },
      });
    nodes = [await start(), await start()];
    for (const { gateways } of nodes)
      gateways.fcm.answer = async () => {
        await new Promise((done) => setImmediate(done));
        return { outcome: 'delivered' };
      };
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  const finished = (id: string) =>
    until(async () => (await nodes[0]?.status(id))?.state === 'finished', `${id} has finished`);
  const sent = () => nodes.map(({ gateways }) => gateways.fcm.sent.length);

  it('share the publishes, and send each one to each device once', async () => {
    const publishes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => nodes[index % 2]?.publish({ interests: ['news'], fcm })),
    );
    for (const answer of publishes) await finished(answer?.json.publishId);
    const counts = sent();
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(8 * 2000);
    for (const count of counts) expect(count).toBeGreaterThan(0);
    for (const answer of publishes)
      expect(await nodes[1]?.status(answer?.json.publishId)).toMatchObject({
        platforms: { fcm: { audience: 2000, sent: 2000 } },
      });
  }, 60_000);

  it('publish once for concurrent requests with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => nodes[index % 2]?.publish({ interests: ['nobody'], fcm }, headers)),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map((answer) => answer?.json.publishId)).size).toBe(1);
  });

  it('count concurrent equal reports once', async () => {
    const device = (await nodes[0]?.registered(['reported'])) ?? '';
    const { json } = (await nodes[0]?.publish({ interests: ['reported'], fcm })) ?? { json: {} };
    const report = { publishId: json.publishId, deviceId: device, event: 'Open', timestampSecs: 1 };
    await Promise.all(Array.from({ length: 20 }, (_, index) => nodes[index % 2]?.report(report)));
    expect(await nodes[1]?.status(json.publishId)).toMatchObject({ platforms: { fcm: { delivered: 0, opened: 1 } } });
  });
});
