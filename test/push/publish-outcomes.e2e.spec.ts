import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PublishService, SendLater } from 'rookery/publish';
import { DevicesService } from 'rookery/push-device';
import { TypeOrmDeviceRepository, TypeOrmPublishOutbox, TypeOrmStorageModule } from 'rookery/typeorm';
import { startPublishApp } from '../support/publish-app.js';
import { instance, otherInstance } from '../support/push-app.js';
import { until } from '../support/until.js';

const fcm = { notification: { title: 'hi' } };
const authorization = `Bearer ${instance.secretKey}`;
const stored = {
  devices: {
    deviceRepository: TypeOrmDeviceRepository,
    imports: [TypeOrmStorageModule.forRoot({ url: 'sqlite::memory:' })],
  },
  publish: { publishOutbox: TypeOrmPublishOutbox, pageSize: 12, firstRetryMs: 1 },
};

describe.each([
  ['in memory', { publish: { pageSize: 12, firstRetryMs: 1 } }],
  ['in SQLite', stored],
] as const)('the devices of a publish, %s', (_where, options) => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    app = await startPublishApp(options);
  });
  afterAll(() => app.close());

  const list = (publishId: string, query = '', headers: Record<string, string> = { authorization }, id = instance.id) =>
    app.call('GET', `/publish_api/v1/instances/${id}/publishes/${publishId}/devices${query}`, { headers });
  const devicesOf = async (publishId: string, query = '') => (await list(publishId, query)).json.devices;
  const finished = (id: string) => until(async () => (await app.status(id)).state === 'finished', `${id} has finished`);

  it('lists the outcome of each device', async () => {
    const [good, gone, bad, busy] = await Promise.all(
      ['good', 'gone', 'bad', 'busy'].map((token) => app.registered(['news'], token)),
    );
    let tries = 0;
    app.gateways.fcm.answer = ({ token }) => {
      if (token === 'busy' && (tries += 1) === 1) throw new SendLater('UNAVAILABLE');
      if (token === 'bad') return { outcome: 'rejected', reason: 'INVALID_ARGUMENT' };
      return token === 'gone' ? { outcome: 'unregistered' } : { outcome: 'delivered' };
    };
    const { publishId } = (await app.publish({ interests: ['news'], fcm })).json;
    await finished(publishId);
    const [sent, failed] = [
      [good, busy]
        .toSorted((one, other) => (String(one) < String(other) ? -1 : 1))
        .map((id) => ({ id, outcome: 'sent' })),
      [
        { id: gone, outcome: 'failed', reason: 'unregistered' },
        { id: bad, outcome: 'failed', reason: 'INVALID_ARGUMENT' },
      ],
    ];
    expect(await devicesOf(publishId, '?outcome=sent')).toEqual(sent);
    expect(new Set(await devicesOf(publishId, '?outcome=failed'))).toEqual(new Set(failed));
    expect(await devicesOf(publishId, '?outcome=retrying')).toEqual([]);
    expect(await devicesOf(publishId)).toHaveLength(4);
  });

  it('lists what each device has reported', async () => {
    const ids = [await app.registered(['reporting']), await app.registered(['reporting'])].toSorted();
    app.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    const { publishId } = (await app.publish({ interests: ['reporting'], fcm })).json;
    await finished(publishId);
    expect(await devicesOf(publishId)).toEqual(ids.map((id) => ({ id, outcome: 'sent' })));
    const path = `/reporting_api/v2/instances/${instance.id}/events`;
    for (const event of ['Open', 'Delivery', 'Delivery']) {
      const body = { event, publishId, deviceId: ids[0], timestampSecs: 1, userId: null };
      expect(await app.call('POST', path, { body })).toMatchObject({ status: 200 });
    }
    expect(await devicesOf(publishId)).toEqual([
      { id: ids[0], outcome: 'sent', reports: ['delivery', 'open'] },
      { id: ids[1], outcome: 'sent' },
    ]);
  });

  it('lists devices that wait for a retry, and why', async () => {
    const id = await app.registered(['later']);
    app.gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE', 60_000);
    };
    const { publishId } = (await app.publish({ interests: ['later'], fcm })).json;
    await until(async () => (await devicesOf(publishId)).length > 0, 'it has been tried');
    expect(await devicesOf(publishId)).toEqual([{ id, outcome: 'retrying', reason: 'UNAVAILABLE' }]);
  });

  it('lists every device once, in pages', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) ids.push(await app.registered(['many']));
    app.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    const { publishId } = (await app.publish({ interests: ['many'], fcm })).json;
    await finished(publishId);
    const found: string[] = [];
    for (let query: string | undefined = '?limit=7'; query !== undefined;) {
      const { json } = await list(publishId, query);
      found.push(...json.devices.map(({ id }: { id: string }) => id));
      const { nextCursor } = json.responseMetadata;
      query = nextCursor === undefined ? undefined : `?limit=7&cursor=${nextCursor}`;
    }
    expect(found).toEqual(ids.sort());
  });

  it("are shown only with the key of the publish's own instance", async () => {
    const { publishId } = (await app.publish({ interests: ['nobody'], fcm })).json;
    expect(await list(publishId)).toMatchObject({ status: 200, json: { devices: [], responseMetadata: {} } });
    expect(await list(publishId, '', {})).toMatchObject({ status: 400 });
    expect(await list(publishId, '', { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
    expect(await list(publishId, '', { authorization }, otherInstance.id)).toMatchObject({ status: 404 });
    expect(await list('pubid-nothing')).toMatchObject({ status: 404, json: { description: 'Publish not found' } });
  });

  it.each([
    ['outcome', 'delivered'],
    ['limit', '101'],
    ['cursor', 'x'],
  ])('refuses %s=%s', async (name, value) => {
    const { publishId } = (await app.publish({ interests: ['nobody'], fcm })).json;
    const description = `\`${name}\` given is not valid.`;
    expect(await list(publishId, `?${name}=${value}`)).toMatchObject({ status: 400, json: { description } });
  });

  it('name a device that was deleted while it waited', async () => {
    const id = await app.registered(['deleted']);
    let tries = 0;
    app.gateways.fcm.answer = async () => {
      if ((tries += 1) > 1) return { outcome: 'delivered' };
      await app.app.get(DevicesService).remove({ instanceId: instance.id, platform: 'fcm', id });
      throw new SendLater('UNAVAILABLE');
    };
    const { publishId } = (await app.publish({ interests: ['deleted'], fcm })).json;
    await finished(publishId);
    const query = { after: '', limit: 10 };
    const { devices } = await app.app.get(PublishService).outcomes(instance.id, publishId, query);
    expect(devices).toEqual([{ deviceId: id, outcome: 'failed', reason: 'Deleted' }]);
  });
});

it('they are not recorded if the setting is 0', async () => {
  const app = await startPublishApp({ publish: { outcomeRetentionMs: 0 } });
  await app.registered(['news']);
  const { publishId } = (await app.publish({ interests: ['news'], fcm })).json;
  await until(async () => (await app.status(publishId)).state === 'finished', 'it has finished');
  const query = { after: '', limit: 10 };
  expect(await app.app.get(PublishService).outcomes(instance.id, publishId, query)).toEqual({ devices: [] });
  await app.close();
});
