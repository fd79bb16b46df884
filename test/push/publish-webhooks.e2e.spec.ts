import { type DynamicModule, Logger } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  dataSourceOptions,
  TypeOrmDeviceRepository,
  TypeOrmPublishOutbox,
  TypeOrmStorageModule,
  TypeOrmJobStore,
} from 'rookery/internal/typeorm';
import { useSqlite } from '../support/databases.js';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const fcm = { notification: { title: 'hi' } };
const sqlite = useSqlite();
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.close());

/** The push column on a database that the next one finds again. */
const startStored = (
  allowPrivateNetwork: boolean,
  webhooks: (typeof instance)['webhooks'] = [],
  imports: DynamicModule['imports'] = [TypeOrmStorageModule.forRoot({ url: sqlite.url() })],
) =>
  startPublishApp({
    instances: [{ ...instance, webhooks }],
    devices: { deviceRepository: TypeOrmDeviceRepository, imports },
    publish: {
      allowPrivateNetwork,
      publishOutbox: TypeOrmPublishOutbox,
      webhookOutbox: TypeOrmJobStore,
    },
  });

const queued = async () => (await sqlite.database().read('SELECT id FROM rookery_jobs')).length;
const bodiesAt = (path: string) => receiver.at(path).map(({ rawBody }) => JSON.parse(rawBody));

// Each story counts what is queued, so none begins with what another left.
beforeEach(() => sqlite.database().execute('DELETE FROM rookery_jobs'));

describe('webhookUrl', () => {
  it('gets the start and the result of the publish, with the credentials of the URL', async () => {
    const app = await startStored(true);
    await app.registered(['webhook']);
    const webhookUrl = receiver.url('/url').replace('http://', 'http://user:secret@');
    const publish = { interests: ['webhook'], webhookUrl, fcm };
    const { json } = await app.publish(publish);
    await until(() => receiver.at('/url').length === 2, 'both webhooks come');
    const results = { fcm: { numSuccessfulPublishes: 1 } };
    expect(bodiesAt('/url')).toEqual([
      { publishId: json.publishId, status: 'STARTED', requestBody: publish },
      { publishId: json.publishId, status: 'FINISHED', requestBody: publish, results },
    ]);
    expect(receiver.at('/url')[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
    });
    await app.close();
  });

  it('does not reach private addresses unless allowed', async () => {
    const app = await startStored(false);
    const { json } = await app.publish({ interests: ['x'], webhookUrl: receiver.url('/private'), fcm });
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'the publish has finished');
    await until(async () => (await queued()) === 0, 'the webhooks are given up');
    expect(receiver.at('/private')).toEqual([]);
    await app.close();
  });
});

describe('a webhook in progress when the application closes', () => {
  /** Closes the application while its endpoint takes its time, then lets the endpoint answer. */
  async function closeMeanwhile(path: string, app: Awaited<ReturnType<typeof startStored>>): Promise<void> {
    let answer = (): void => undefined;
    receiver.reply(path, (response) => (answer = () => void response.end()));
    await app.publish({ users: ['nobody'], fcm }, {}, '/users');
    await until(() => receiver.at(path).length === 1, 'the webhook is under way');
    const closed = app.close();
    await new Promise((resolve) => setImmediate(resolve));
    answer();
    await closed;
  }
  const webhookAt = (path: string) => ({
    url: receiver.url(path),
    secret: 'shh',
    events: ['v1.PublishToUsersAttempt'],
  });

  it('is marked as done before the database closes, in any order of imports', async () => {
    await closeMeanwhile('/nested', await startStored(false, [webhookAt('/nested')]));
    expect(await queued()).toBe(0);
  });

  it("is marked as done before the host's data source closes", async () => {
    const host = TypeOrmModule.forRoot(dataSourceOptions(sqlite.url()));
    const storage = TypeOrmStorageModule.forRoot({ dataSourceName: 'default' });
    const errors = vi.spyOn(Logger.prototype, 'error');
    await closeMeanwhile('/host', await startStored(false, [webhookAt('/host')], [host, storage]));
    expect(await queued()).toBe(0);
    expect(errors).not.toHaveBeenCalled();
    errors.mockRestore();
  });
});

describe('a configured webhook', () => {
  it('reaches private addresses, because the operator configured it, and survives a restart', async () => {
    const webhook = { url: receiver.url('/hook'), secret: 'shh', events: ['v1.PublishToUsersAttempt'] };
    receiver.reply('/hook', (response) => response.writeHead(500).end());
    const first = await startStored(false, [webhook]);
    const { json } = await first.publish({ users: ['nobody'], fcm }, {}, '/users');
    await until(() => receiver.at('/hook').length === 1, 'the first try is made');
    await first.close();
    expect(await queued()).toBe(1);

    receiver.reply('/hook', (response) => response.end());
    // The ten seconds before the second try are over.
    await sqlite.database().execute('UPDATE rookery_jobs SET free_at = 0');
    const second = await startStored(false, [webhook]);
    await until(() => receiver.at('/hook').length === 2, 'the second try is made');
    await until(async () => (await queued()) === 0, 'it is done');
    await second.close();

    const [tried, again] = receiver.at('/hook');
    expect(again?.rawBody).toBe(tried?.rawBody);
    expect(again?.headers['webhook-request-id-uuid']).toBe(tried?.headers['webhook-request-id-uuid']);
    expect(again?.headers['webhook-signature']).toBe(
      createHmac('sha1', 'shh')
        .update(again?.rawBody ?? '')
        .digest('hex'),
    );
    expect(JSON.parse(again?.rawBody ?? '')).toMatchObject({
      payload: { instance_id: instance.id, publish_id: json.publishId, users_no_devices: ['nobody'] },
      custom_data: {},
    });
  });
});
