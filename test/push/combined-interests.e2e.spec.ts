import { afterAll, beforeAll, expect, it } from 'vitest';
import { PublishService } from 'rookery/publish';
import { TypeOrmDeviceRepository, TypeOrmJobStore, TypeOrmPublishOutbox, TypeOrmStorageModule } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const fcm = { notification: { title: 'hi' } };

describeDatabases('a publish to combined interests', ({ url, database }) => {
  let receiver: WebhookReceiver;
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  const start = (worker = true) =>
    startPublishApp({
      devices: {
        deviceRepository: TypeOrmDeviceRepository,
        imports: [TypeOrmStorageModule.forRoot({ url: url() })],
      },
      publish: {
        allowPrivateNetwork: true,
        pageSize: 3,
        publishOutbox: TypeOrmPublishOutbox,
        webhookOutbox: TypeOrmJobStore,
        worker,
      },
    });
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    app = await start();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const finished = (on: typeof app, id: string) =>
    until(async () => (await on.status(id)).state === 'finished', `${id} is finished`);
  const sentTo = (on: typeof app) => [...on.gateways.fcm.sent].toSorted();

  it('reaches the devices with any of its interests, all of allOf and none of noneOf, each once', async () => {
    const wanted = [
      await app.registered(['sports', 'premium']),
      await app.registered(['news', 'premium', 'paused']),
      await app.registered(['sports', 'news', 'premium']),
    ];
    await app.registered(['sports']);
    await app.registered(['premium']);
    await app.registered(['sports', 'news', 'premium', 'muted']);
    await app.registered(['muted']);

    const webhookUrl = receiver.url('/combined');
    const publish = { interests: ['sports', 'news'], allOf: ['premium'], noneOf: ['muted'], webhookUrl, fcm };
    const { json } = await app.publish(publish);
    await finished(app, json.publishId);
    expect(sentTo(app)).toEqual(wanted.toSorted());
    expect(await app.status(json.publishId)).toMatchObject({ platforms: { fcm: { audience: 3, sent: 3 } } });
    await until(() => receiver.at('/combined').length === 2, 'both webhooks come');
    for (const { rawBody } of receiver.at('/combined'))
      expect(JSON.parse(rawBody)).toMatchObject({ publishId: json.publishId, requestBody: publish });
  });

  it('keeps its combination in another process, for which a device decides until its page is read', async () => {
    const [kept, left] = [await app.registered(['goals', 'vip']), await app.registered(['goals', 'vip'])];
    await app.registered(['goals']);
    await app.registered(['goals', 'vip', 'muted']);
    await app.close();

    const accepting = await start(false);
    const { json } = await accepting.publish({ interests: ['goals'], allOf: ['vip'], noneOf: ['muted'], fcm });
    const path = `/device_api/v1/instances/${instance.id}/devices/fcm/${left}/interests/muted`;
    expect(await accepting.call('POST', path)).toMatchObject({ status: 200 });
    expect(await accepting.status(json.publishId)).toMatchObject({ state: 'pending' });
    await accepting.close();

    app = await start();
    await finished(app, json.publishId);
    expect(sentTo(app)).toEqual([kept]);
  });

  it('is another body for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'combined' };
    const body = { interests: ['a'], allOf: ['b'], fcm };
    const first = await app.publish(body, headers);
    expect(await app.publish(body, headers)).toMatchObject({ status: 200, json: first.json });
    expect(await app.publish({ ...body, noneOf: ['c'] }, headers)).toMatchObject({ status: 422 });
    expect(await app.publish({ interests: ['a'], fcm }, headers)).toMatchObject({ status: 422 });
  });

  it('is refused as a broadcast to Live Activities, which reaches every listener', async () => {
    const body = { interests: ['match-1'], noneOf: ['muted'], apns: { aps: { event: 'update' } } };
    const description = '`apns.aps.event`: A broadcast to Live Activities cannot have `allOf` or `noneOf`';
    expect(await app.publish(body)).toMatchObject({ status: 422, json: { description } });
    expect(await app.publish({ ...body, noneOf: [] })).toMatchObject({ status: 200 });
    expect(await app.publish({ ...body, apns: { aps: { event: 'start' } } })).toMatchObject({ status: 200 });
  });

  it('is one of PublishService, without HTTP', async () => {
    const service = app.app.get(PublishService);
    const { publishId } = await service.publishToInterests(instance.id, { interests: ['x'], noneOf: ['y'], fcm });
    const { target } = await service.find(instance.id, publishId);
    expect(target).toEqual({ interests: ['x'], noneOf: ['y'] });
    const tooMany = { interests: ['x'], noneOf: Array.from({ length: 100 }, (_, n) => `n${n}`), fcm };
    await expect(service.publishToInterests(instance.id, tooMany)).rejects.toMatchObject({ status: 422 });
  });

  it('is stored so that processes of earlier versions, which know no combinations, cannot send it', async () => {
    const bodyOf = async (id: string) => {
      const rows = await database().read<{ body: string }>('SELECT body FROM rookery_publishes WHERE id = ?', [id]);
      return JSON.parse(rows[0]!.body) as object;
    };
    const combined = await app.publish({ interests: ['a'], noneOf: ['b'], fcm });
    expect(Object.keys(await bodyOf(combined.json.publishId))).toEqual(['combined']);
    const plain = await app.publish({ interests: ['a'], fcm });
    expect(await bodyOf(plain.json.publishId)).toEqual({ audience: { interests: ['a'] }, payloads: { fcm } });
  });
});
