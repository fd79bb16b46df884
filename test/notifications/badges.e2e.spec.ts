import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { type NotificationBody, NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting, testingApp, testingInstance } from '@rookery/testing';
import { until } from '../support/until.js';

const otherApp = { id: 'other', key: 'other-key', secret: 'other-secret' };

let rookery: RookeryTesting;
let notifications: NotificationsService;
beforeAll(async () => {
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testingApp, otherApp] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({
      apps: [
        { app: testingApp.id, badges: true, pushAfterSeconds: 0, withdrawFrom: ['apns', 'fcm'] },
        { app: otherApp.id, pushAfterSeconds: 0 },
      ],
    }),
  ]);
  notifications = rookery.get(NotificationsService);
});
afterAll(() => rookery.close());
afterEach(() => rookery.reset());

let users = 0;
let user: string;
beforeEach(async () => {
  user = `user-${(users += 1)}`;
  for (const platform of ['apns', 'fcm', 'web'] as const) await rookery.register({ platform, user });
});

const event = { name: 'message', data: {} };
const shown = { notification: { title: 'Hi' } };
const onAll = { apns: { aps: { alert: 'Hi' } }, fcm: shown, web: shown };
const notify = (push: NotificationBody['push'] = onAll, app = testingApp.id) =>
  notifications.notify(user, { event, push }, app);
const pushesTo = (platform: string) =>
  rookery.pushes.filter((push) => push.platform === platform).map(({ payload }) => payload as Record<string, any>);
const arePushed = (count: number) => until(() => rookery.pushes.length === count, `${count} pushes are sent`);

it('shows how many notifications are unread, of those without a push too', async () => {
  await notifications.notify(user, { event }, testingApp.id);
  const id = await notify();
  await arePushed(3);
  expect(pushesTo('apns')).toMatchObject([{ aps: { alert: 'Hi', badge: 2 }, data: { rookery: { id, unread: 2 } } }]);
  expect(pushesTo('fcm')).toMatchObject([
    { notification: { title: 'Hi', notification_count: 2 }, data: { rookery: { id, unread: 2 } } },
  ]);
  expect(pushesTo('web')).toMatchObject([
    { notification: { title: 'Hi', app_badge: 2 }, data: { rookery: { id, unread: 2 } } },
  ]);
});

it('shows the new number on devices once a notification is read, though none of them got it', async () => {
  const silent = await notifications.notify(user, { event }, testingApp.id);
  const id = await notify();
  await arePushed(3);
  await notifications.read(silent, testingApp.id);
  await arePushed(5);
  await notifications.readAll(user, testingApp.id);
  await arePushed(7);
  const aps = (unread: number) => ({ 'content-available': 1, badge: unread });
  const data = (id: string, unread: number) => ({ rookery: { withdrawn: [id], unread } });
  expect(pushesTo('apns').slice(1)).toEqual([
    { aps: aps(1), data: data(silent, 1) },
    { aps: aps(0), data: data(id, 0) },
  ]);
  expect(pushesTo('fcm').slice(1)).toEqual([{ data: data(silent, 1) }, { data: data(id, 0) }]);
  expect(pushesTo('web')).toHaveLength(1);
});

it('ends with the right number, however reads and pushes interleave', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => notify()));
  const kept = ids.splice(0, 3);
  await Promise.all(ids.map((id) => notifications.read(id, testingApp.id)));
  await until(async () => {
    const states = await Promise.all(kept.map((id) => notifications.status(id, testingApp.id)));
    return states.every(({ state }) => state === 'pushed');
  }, 'the unread ones are pushed');
  const badges = () => pushesTo('apns').map(({ aps }) => aps.badge as number);
  await until(() => Math.min(...badges()) === 3, 'devices show the right number');
  await rookery.settled();
  expect(Math.min(...badges())).toBe(3);
});

it('leaves numbers of the application’s own, and pushes that show nothing', async () => {
  await notify({
    apns: { aps: { badge: 9 } },
    fcm: { android: { notification: { title: 'Hi', notification_count: 9 } } },
  });
  await notify({ apns: { push_type: 'voip' }, fcm: { data: { of: 'mine' } } });
  await notify({ fcm: { android: { notification: { title: 'Hi' } } } });
  await arePushed(5);
  const own = pushesTo('apns').map(({ aps }) => aps as object | undefined);
  expect(own).toHaveLength(2);
  expect(own).toEqual(expect.arrayContaining([{ badge: 9 }, undefined]));
  expect(pushesTo('fcm').map(({ android, notification }) => android?.notification ?? notification)).toEqual(
    expect.arrayContaining([
      { title: 'Hi', notification_count: 9 },
      undefined,
      { title: 'Hi', notification_count: expect.any(Number) as number },
    ]),
  );
});

it('is left out of apps without badges', async () => {
  await notify(onAll, otherApp.id);
  await arePushed(3);
  expect(pushesTo('apns')[0]!['aps']).toEqual({ alert: 'Hi' });
  expect(pushesTo('web')[0]!['data'].rookery).not.toHaveProperty('unread');
});
