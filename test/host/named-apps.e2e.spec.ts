import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AppConfig,
  type AppOrId,
  AppRepository,
  ChannelsModule,
  ChannelsService,
  EventsService,
  HistoryService,
  MembersService,
  ReceiptsService,
  StreamsService,
  SubscriptionsService,
  TypedEvents,
  UsersService,
  WebhookTestService,
} from 'rookery/internal/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { instance } from '../support/push-app.js';

// Every method that is about an app takes its id, or what the host's own repository answers: few settings, no App.

const shop: AppConfig = {
  id: 'shop',
  key: 'k',
  secret: 's',
  history: [{ channels: 'news', events: 5, streams: true }],
};

class Shops extends AppRepository {
  findById(id: string): AppConfig | undefined {
    return id === shop.id ? shop : undefined;
  }
  findByKey(key: string): AppConfig | undefined {
    return key === shop.key ? shop : undefined;
  }
}

let host: TestingModule;
beforeEach(async () => {
  Logger.overrideLogger(false);
  host = await Test.createTestingModule({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ appRepository: Shops }),
      PushDeviceModule.forRoot({ instances: [instance] }),
      PublishModule.forRoot(),
      NotificationsModule.forRoot({ apps: [{ app: '*', instance: instance.id }] }),
    ],
  }).compile();
  await host.init();
});
afterEach(() => host.close());

class Empty {}
const event = { name: 'e', channel: 'news', data: 'x' };
const calls: readonly [name: string, call: (app: AppOrId) => Promise<unknown>][] = [
  ['trigger', (app) => host.get(EventsService).trigger(app, event)],
  ['triggerBatch', (app) => host.get(EventsService).triggerBatch(app, [event])],
  ['triggerPlaced', (app) => host.get(EventsService).triggerPlaced(app, event)],
  [
    'TypedEvents',
    (app) => new TypedEvents(host.get(EventsService), { news: { e: Empty } }, app).trigger('news', 'e', {}),
  ],
  ['stream', async (app) => (await host.get(StreamsService).begin('news', 'answer', { app })).end()],
  ['history', (app) => host.get(HistoryService).read(app, 'news')],
  ['list of channels', (app) => host.get(ChannelsService).list(app, {})],
  ['channel', (app) => host.get(ChannelsService).state(app, 'news', undefined)],
  ['users', (app) => host.get(ChannelsService).users(app, 'presence-room')],
  ['members', (app) => host.get(ChannelsService).members(app, 'presence-room')],
  ['removal', (app) => host.get(MembersService).remove(app, 'presence-room', 'ann')],
  ['revocation', (app) => host.get(SubscriptionsService).revoke('ann', 'presence-room', app)],
  ['isOnline', (app) => host.get(UsersService).isOnline(app, 'ann')],
  ['terminate', (app) => host.get(UsersService).terminate(app, 'ann')],
  ['reconnect', (app) => host.get(UsersService).reconnect(app, 'ann')],
  ['webhook', (app) => host.get(WebhookTestService).test(app, { url: 'http://127.0.0.1:1/' })],
  ['readAll', (app) => host.get(NotificationsService).readAll('ann', app)],
  ['latest', (app) => host.get(NotificationsService).latest(5, {}, app)],
];

describe.each(calls)('%s', (_, call) => {
  it('takes the id of an app, and the answer of an AppRepository', async () => {
    await expect(call(shop.id)).resolves.not.toThrow();
    await expect(call((await host.get(AppRepository).findById(shop.id))!)).resolves.not.toThrow();
  });

  it('refuses the id of no app', async () => {
    await expect(call('nowhere')).rejects.toMatchObject({
      code: 'app_not_found',
      message: 'There is no app with the id "nowhere"',
    });
  });
});

it('answers the same for the id and for the app', async () => {
  const history = host.get(HistoryService);
  await host.get(EventsService).trigger('shop', event);
  const read = await history.read('shop', 'news');
  expect(read.events).toMatchObject([{ name: 'e', data: 'x' }]);
  expect(await history.read(shop, 'news')).toEqual(read);
  await expect(host.get(MembersService).update('shop', 'presence-room', 'ann', 1)).rejects.toMatchObject({
    status: 404,
  });
  await expect(host.get(ReceiptsService).find('shop', 'none')).rejects.toMatchObject({ status: 404 });
  await expect(host.get(ReceiptsService).find('nowhere', 'none')).rejects.toMatchObject({ code: 'app_not_found' });
});
