import type { INestApplication } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsMetrics, ChannelsModule, EventsService, type TriggerOptions } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishMetrics, PublishModule, PublishService } from 'rookery/publish';
import { DevicesService, PushDeviceModule } from 'rookery/push-device';
import { dataSourceOptions, TypeOrmStorageModule, TypeOrmTriggerOutbox } from 'rookery/internal/typeorm';
import { testApp } from '../support/channels-server.js';
import { describeDatabases } from '../support/databases.js';
import { createHost, listen } from '../support/embedding-host.js';
import { Order, OrderingHost, Orders } from '../support/ordering-host.js';
import { instance } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { describeNode } from '../support/services.js';

let channels = 0;
const newChannel = (): string => `orders-${(channels += 1)}`;

describeDatabases('Events and publishes in a transaction of the host', ({ url }) => {
  describe.each(["on the host's data source", 'on another of its own'])('%s', (title) => {
    let app: INestApplication;
    let gateway: ScriptedGateway;
    let port: number;
    let log: () => string;
    const own = title.startsWith('on another') ? url : () => undefined;

    beforeAll(async () => {
      gateway = new ScriptedGateway('fcm');
      const created = await createHost({ imports: [OrderingHost.on(dataSourceOptions(url()), own(), gateway)] });
      app = created.app;
      log = () => created.lines.map(({ text }) => text).join('\n');
      ({ port } = await listen(app));
    });
    afterAll(() => app.close());

    const dataSource = (): DataSource => app.get(DataSource);
    const events = (): EventsService => app.get(EventsService);
    const connected = async (...channels: string[]): Promise<SocketClient> => {
      const client = await SocketClient.connect(port);
      for (const channel of channels) await client.subscribe(channel);
      return client;
    };
    const within = (work: (options: TriggerOptions, manager: EntityManager) => Promise<unknown>) =>
      dataSource().transaction((manager) => work({ within: manager }, manager));
    const publishesAccepted = async (): Promise<number> =>
      (await app.get(PublishMetrics).publishes.get()).values.reduce((sum, { value }) => sum + value, 0);

    it('arrive once it is committed', async () => {
      const order = { id: `7-${title.length}`, customer: `user-${title.length}`, isShipped: false };
      await dataSource().getRepository(Order).save(order);
      const devices = app.get(DevicesService);
      const { id } = await devices.register(instance.id, { platform: 'fcm', token: order.id, metadata: {} });
      await devices.setUser({ instanceId: instance.id, platform: 'fcm', id }, order.customer);
      const customer = await connected(`private-orders-${order.id}`);
      await app.get(Orders).ship(order.id);
      expect(JSON.parse((await customer.next('order-shipped')).data as string)).toEqual({ id: order.id });
      await until(() => gateway.sent.includes(id), 'the push is sent');
      expect(await publishesAccepted()).toBe(1);
      expect(await dataSource().getRepository(Order).findOneBy({ id: order.id })).toMatchObject({ isShipped: true });
    });

    it('never exist if it is rolled back', async () => {
      const channel = newChannel();
      const client = await connected(channel);
      const accepted = await publishesAccepted();
      let publishId = '';
      const failing = within(async (options, manager) => {
        await manager.insert(Order, { id: 'never', customer: 'nobody' });
        await events().trigger(testApp.id, { name: 'undone', channel, data: 'x' }, options);
        const publish = { interests: ['a'], fcm: {} };
        ({ publishId } = await app.get(PublishService).publishToInterests(instance.id, publish, options));
        throw new Error('sold out');
      });
      await expect(failing).rejects.toThrow('sold out');
      await within((options) => events().trigger(testApp.id, { name: 'done', channel, data: 'x' }, options));
      await client.next('done');
      expect(await client.settled('undone')).toEqual([]);
      await expect(app.get(PublishService).status(instance.id, publishId)).rejects.toMatchObject({
        message: 'Publish not found',
      });
      expect(await publishesAccepted()).toBe(accepted);
    });

    it('arrive in the order of the commits', async () => {
      const channel = newChannel();
      const client = await connected(channel);
      for (let n = 0; n < 150; n += 3)
        await within(async (options) => {
          for (const data of [n, n + 1, n + 2])
            await events().trigger(testApp.id, { name: 'counted', channel, data: String(data) }, options);
        });
      await until(() => client.frames.filter(({ event }) => event === 'counted').length === 150, 'all are there');
      const counted = client.frames.filter(({ event }) => event === 'counted').map(({ data }) => Number(data));
      expect(counted).toEqual(Array.from({ length: 150 }, (_, n) => n));
    });

    it('can be sent to several channels, in batches, to users and excluding the sender', async () => {
      const [one, two] = [newChannel(), newChannel()];
      const [client, sender] = [await connected(one, two), await connected(one)];
      await client.signin({ id: 'alice' });
      await client.subscribe('#server-to-user-alice');
      await within(async (options) => {
        const both = { name: 'both', channels: [one, two], data: 'x', socket_id: sender.socketId };
        await events().trigger(testApp.id, both, options);
        const batch = [one, two].map((channel) => ({ name: `of ${channel}`, channel, data: 'y' }));
        await events().triggerBatch(testApp.id, batch, options);
        const toUser = { name: 'to-user', channel: '#server-to-user-alice', data: 'z' };
        await events().trigger(testApp.id, toUser, options);
      });
      await Promise.all([client.next(`of ${one}`), client.next(`of ${two}`), client.next('to-user')]);
      expect(new Set((await client.settled('both')).map(({ channel }) => channel))).toEqual(new Set([one, two]));
      await sender.next(`of ${one}`);
      expect(await sender.settled('both')).toEqual([]);
    });

    it('are checked before anything is written, in the words of the API', async () => {
      const refused = (request: object, message: string | RegExp) =>
        within(async (options, manager) => {
          await expect(events().trigger(testApp.id, request as never, options)).rejects.toThrow(message);
          // PostgreSQL would refuse all that comes after a statement that failed.
          expect(await manager.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
        });
      await refused({ name: 'x', channel: 'a b', data: 'x' }, "Invalid channel name: 'a b'");
      await refused({ name: 'pusher:x', channel: 'a', data: 'x' }, 'is reserved');
      await refused({ name: 'x', channel: 'a', data: 'x'.repeat(10_241) }, 'exceeds the allowed maximum');
      await refused(
        { name: 'x', channels: ['a', 'private-encrypted-a'], data: 'x' },
        'An event for an encrypted channel',
      );
      await within(async (options) => {
        const publish = { interests: [], fcm: {} };
        await expect(app.get(PublishService).publishToInterests(instance.id, publish, options)).rejects.toMatchObject({
          message: '`interests`: Array must have at least 1 items',
        });
      });
    });

    it('refuse anything that is not a transaction', async () => {
      const notBegun = { within: dataSource().manager };
      const line = 'within must be the EntityManager of a transaction that is under way';
      const event = { name: 'x', channel: 'a', data: 'x' };
      await expect(events().trigger(testApp.id, event, notBegun)).rejects.toThrow(line);
      const publish = app.get(PublishService).publishToInterests(instance.id, { interests: ['a'], fcm: {} }, notBegun);
      await expect(publish).rejects.toThrow(line);
    });

    it('of a removed app are buried, and delay no others', async () => {
      const channel = newChannel();
      const client = await connected(channel);
      await within(async (options, manager) => {
        await app.get(EventsService).trigger(testApp.id, { name: 'first', channel, data: 'x' }, options);
        await manager.query(`UPDATE rookery_triggers SET app_id = 'gone' WHERE channel = '${channel}'`);
        await app.get(EventsService).trigger(testApp.id, { name: 'second', channel, data: 'x' }, options);
      });
      await client.next('second');
      expect(await client.settled('first')).toEqual([]);
      await until(async () => (await metrics()).includes('rookery_channels_waiting_triggers 0'), 'nothing waits');
      expect(await metrics()).toContain('rookery_channels_triggers_buried_total 1');
      expect(log()).toContain(`for "${channel}" of app gone cannot be sent: there is no such app`);
      const buried = await dataSource().query(`SELECT reason FROM rookery_triggers WHERE channel = '${channel}'`);
      expect(buried).toEqual([{ reason: 'there is no such app' }]);
    });

    const metrics = (): Promise<string> => app.get(ChannelsMetrics).registry.metrics();
  });
});

describeNode('without a database for the events', () => {
  it('one line names the fix', async () => {
    const dataSource = await new DataSource(dataSourceOptions('sqlite::memory:')).initialize();
    const imports = [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [testApp] }),
      PushDeviceModule.forRoot({ instances: [instance] }),
      PublishModule.forRoot(),
    ];
    const { app } = await createHost({ imports });
    await app.init();
    await dataSource.transaction(async (manager) => {
      const event = { name: 'x', channel: 'a', data: 'x' };
      await expect(app.get(EventsService).trigger(testApp.id, event, { within: manager })).rejects.toThrow(
        'write ChannelsModule.forRoot({ triggerOutbox: TypeOrmTriggerOutbox })',
      );
      const publish = { interests: ['a'], fcm: {} };
      await expect(
        app.get(PublishService).publishToInterests(instance.id, publish, { within: manager }),
      ).rejects.toThrow('write PublishModule.forRoot({ publishOutbox: TypeOrmPublishOutbox })');
    });
    expect(await app.get(ChannelsMetrics).registry.metrics()).not.toContain('waiting_triggers');
    await app.close();
    await dataSource.destroy();
  });

  it('a transaction on another kind of database is refused', async () => {
    const dataSource = await new DataSource(dataSourceOptions('sqlite::memory:')).initialize();
    const { app } = await createHost({
      imports: [
        PresenceModule.forRoot(),
        TypeOrmStorageModule.forRoot({ url: 'sqlite::memory:' }),
        ChannelsModule.forRoot({ apps: [testApp], triggerOutbox: TypeOrmTriggerOutbox }),
      ],
    });
    await app.init();
    await dataSource.transaction(async (manager) => {
      const pretended = { queryRunner: { isTransactionActive: true, dataSource: { options: { type: 'mysql' } } } };
      const event = { name: 'x', channel: 'a', data: 'x' };
      await expect(app.get(EventsService).trigger(testApp.id, event, { within: pretended })).rejects.toThrow(
        "within is a transaction on mysql, and Rookery's tables are in sqlite",
      );
      expect(manager).toBeDefined();
    });
    await app.close();
    await dataSource.destroy();
  });
});
