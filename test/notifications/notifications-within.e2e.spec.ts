import type { INestApplication } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Broker, ChannelsModule } from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { dataSourceOptions, TypeOrmNotificationRepository, TypeOrmStorageModule } from 'rookery/internal/typeorm';
import { testApp } from '../support/channels-server.js';
import { describeDatabases } from '../support/databases.js';
import { createHost } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';
import { until } from '../support/until.js';

const mention = { event: { name: 'mention', data: { in: 'kitchen' } } };

describeDatabases('A notification in a transaction of the host', ({ url }) => {
  let app: INestApplication;
  let dataSource: DataSource;
  let isSent: (id: string) => boolean;

  beforeAll(async () => {
    dataSource = await new DataSource(dataSourceOptions(url())).initialize();
    ({ app } = await createHost({
      imports: [
        TypeOrmStorageModule.forRoot({ dataSource }),
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [testApp] }),
        PushDeviceModule.forRoot({ instances: [instance] }),
        PublishModule.forRoot(),
        NotificationsModule.forRoot({ notificationRepository: TypeOrmNotificationRepository }),
      ],
    }));
    await app.init();
    const publish = vi.spyOn(app.get(Broker), 'publish');
    isSent = (id) => publish.mock.calls.some(([message]) => JSON.stringify(message).includes(id));
  });
  afterAll(async () => {
    await app.close();
    await dataSource.destroy();
  });

  const notify = (within: EntityManager) => app.get(NotificationsService).notify('ann', mention, undefined, { within });

  it('never exists if it is rolled back', async () => {
    let id = '';
    const undone = dataSource.transaction(async (manager) => {
      id = await notify(manager);
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await expect(app.get(NotificationsService).status(id)).rejects.toMatchObject({ code: 'notification_not_found' });
    expect(isSent(id)).toBe(false);
  });

  it('reaches pages once it is committed, and not before', async () => {
    const id = await dataSource.transaction(async (manager) => {
      const made = await notify(manager);
      expect(isSent(made)).toBe(false);
      return made;
    });
    await until(() => isSent(id), 'it is sent to pages');
    expect(await app.get(NotificationsService).status(id)).toMatchObject({ id });
  });

  it('is for all of several users, or none', async () => {
    const service = app.get(NotificationsService);
    const users = Array.from({ length: 300 }, (_, n) => `user ${n}`);
    const unread = async () => (await Promise.all(users.map((user) => service.feed(user)))).map((feed) => feed.unread);
    const all = (within: EntityManager) =>
      service.notifyUsers(users, { ...mention, collapseKey: 'kitchen' }, undefined, { within });
    const undone = dataSource.transaction(async (manager) => {
      await all(manager);
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    expect(new Set(await unread())).toEqual(new Set([0]));
    await dataSource.transaction(all);
    const ids = await dataSource.transaction(async (manager) => {
      const made = await all(manager);
      expect(isSent(made[0]!)).toBe(false);
      return made;
    });
    await until(() => isSent(ids[299]!), 'they are sent to pages');
    expect(new Set(await unread())).toEqual(new Set([1]));
  });
});

it('says what to write if notifications are in memory', async () => {
  const { app } = await createHost({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [testApp] }),
      PushDeviceModule.forRoot({ instances: [instance] }),
      PublishModule.forRoot(),
      NotificationsModule.forRoot(),
    ],
  });
  await app.init();
  await expect(app.get(NotificationsService).notify('ann', mention, testApp.id, { within: {} })).rejects.toThrow(
    'NotificationsModule.forRoot({ notificationRepository: TypeOrmNotificationRepository })',
  );
  await app.close();
});
