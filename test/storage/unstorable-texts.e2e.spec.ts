import type { INestApplication } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChannelsModule, EventsService } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import {
  dataSourceOptions,
  TypeOrmBroker,
  TypeOrmDeviceRepository,
  TypeOrmJobStore,
  TypeOrmNotificationRepository,
  TypeOrmPublishOutbox,
  TypeOrmRequestRates,
  TypeOrmStorageModule,
  TypeOrmTriggerOutbox,
} from 'rookery/internal/typeorm';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { describeDatabases } from '../support/databases.js';
import { createHost, listen } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';

// PostgreSQL refuses NUL in any text.
describeDatabases('A text with NUL from outside', ({ url }) => {
  let app: INestApplication;
  let port: number;
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await new DataSource(dataSourceOptions(url())).initialize();
    ({ app } = await createHost({
      imports: [
        TypeOrmStorageModule.forRoot({ dataSource }),
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({
          apps: [{ ...testApp, history: [{ channels: '*' }] }],
          broker: TypeOrmBroker,
          webhookOutbox: TypeOrmJobStore.named('channels'),
          triggerOutbox: TypeOrmTriggerOutbox,
        }),
        PushDeviceModule.forRoot({
          instances: [instance],
          deviceRepository: TypeOrmDeviceRepository,
          requestRates: TypeOrmRequestRates,
        }),
        PublishModule.forRoot({ publishOutbox: TypeOrmPublishOutbox }),
        NotificationsModule.forRoot({ notificationRepository: TypeOrmNotificationRepository }),
      ],
    }));
    ({ port } = await listen(app));
  });
  afterAll(async () => {
    await app.close();
    await dataSource.destroy();
  });

  const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const { status, text } = await overSocket({ port }, signed(method, path, body));
    return [status, text];
  };

  it('is refused as the channel of a user', async () => {
    const event = { name: 'e', channel: '#server-to-user-a\0b', data: '' };
    expect(await call('POST', '/events', event)).toEqual([400, "Invalid channel name: '#server-to-user-a\0b'\n"]);
  });

  it('is the id of no notification, webhook or user', async () => {
    const notFound = [404, expect.stringContaining('not found')];
    expect(await call('GET', '/notifications/a%00b')).toEqual(notFound);
    expect(await call('POST', '/notifications/a%00b/read')).toEqual(notFound);
    expect(await call('POST', '/webhooks/dead/a%00b/resend')).toEqual(notFound);
    expect(await call('GET', '/users/a%00b/notifications')).toEqual([
      200,
      '{"notifications":[],"unread":0,"responseMetadata":{}}',
    ]);
  });

  it.each([{ name: 'a\0b' }, { data: 'a\0b' }])('is refused in an event within a transaction: %j', async (odd) => {
    const event = { name: 'e', channel: 'news', data: '', ...odd };
    const triggered = dataSource.transaction((within) => app.get(EventsService).trigger(testApp.id, event, { within }));
    await expect(triggered).rejects.toMatchObject({ status: 400, message: expect.stringContaining('NUL') });
  });

  it('is the device of a report that counts for nothing', async () => {
    const report = { event: 'Open', publishId: 'a\0b', deviceId: 'web-\0', timestampSecs: 1 };
    const answer = await fetch(`http://127.0.0.1:${port}/reporting_api/v2/instances/${instance.id}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(report),
    });
    expect(answer.status).toBe(200);
  });
});
