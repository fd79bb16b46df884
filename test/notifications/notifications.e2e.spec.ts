import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Broker, ChannelsModule, OnUserOnline, type UserActivity } from 'rookery/channels';
import {
  type NotificationBody,
  NotificationRepository,
  NotificationsMetrics,
  NotificationsModule,
  NotificationsService,
} from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting, rookeryMatchers, type TestClient, testingApp, testingInstance } from '@rookery/testing';
import '@rookery/testing/vitest';
import { notificationsDescription } from '../../libs/notifications/src/notifications.module.js';
import { overSocket, signed, type Signing } from '../support/channels-api.js';
import { documentedChannels } from '../support/documented-channels.js';
import { until } from '../support/until.js';

documentedChannels.add(notificationsDescription());

expect.extend(rookeryMatchers);

const app = { id: testingApp.id, key: testingApp.key, secret: testingApp.secret };
const busyApp = { id: 'busy', key: 'busy-key', secret: 'busy-secret' };
const otherApp = { id: 'other', key: 'other-key', secret: 'other-secret' };
const silentApp = { id: 'silent', key: 'silent-key', secret: 'silent-secret' };

/** Notifies some users as soon as they are online. */
@Injectable()
class Greeter {
  readonly sent: string[] = [];
  constructor(private readonly service: NotificationsService) {}

  @OnUserOnline('greeted-*')
  async online({ appId, userId }: UserActivity): Promise<void> {
    this.sent.push(await this.service.notify(userId, message, appId));
  }
}
class GreeterModule {}

let rookery: RookeryTesting;
let notifications: NotificationsService;
beforeAll(async () => {
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [app, otherApp, busyApp, silentApp] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({
      apps: [
        { app: app.id, linkSeconds: 60 },
        {
          app: otherApp.id,
          pushAfterSeconds: 2,
          pushesPerHour: 1,
          withdrawFrom: ['apns', 'fcm'],
          publicUrl: 'https://ws.example/',
        },
        { app: busyApp.id, pushAfterSeconds: 2, withdrawFrom: ['fcm'] },
      ],
    }),
    { module: GreeterModule, providers: [Greeter] },
  ]);
  notifications = rookery.get(NotificationsService);
});
afterAll(() => rookery.close());

let users = 0;
let user: string;
beforeEach(() => void (user = `user-${(users += 1)}`));
const clients: TestClient[] = [];
afterEach(async () => {
  rookery.reset();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
async function open(of = app, id = user): Promise<TestClient> {
  const client = await rookery.connect({ app: of, user: { id } });
  clients.push(client);
  return client;
}

const channel = () => `#server-to-user-${user}`;
const message = { event: { name: 'message', data: { text: 'Hi' } }, push: { fcm: { notification: { title: 'Hi' } } } };
const notify = (more: Partial<NotificationBody> = {}, of = app) =>
  notifications.notify(user, { ...message, ...more }, of.id);
const status = (id: string, of = app) => notifications.status(id, of.id);
const untilState = (id: string, state: string, of = app) =>
  until(async () => (await status(id, of)).state === state, `it is ${state}`);
const dataOf = (client: TestClient, event: string) =>
  client.events.filter((each) => each.event === event).map(({ data }) => data as Record<string, any>);

describe('a notification', () => {
  it('is shown by an open page, and not pushed', async () => {
    const [page, { token }] = [await open(), await rookery.register({ user })];
    const id = await notify();
    await expect(page).toHaveReceivedEvent(channel(), 'message', {
      text: 'Hi',
      rookery: { id, readUrl: expect.stringMatching(/^\/apps\/app\/notifications\/read\?token=[\w-]{72}$/) as string },
    });
    await untilState(id, 'shown');
    await rookery.clock.advance(60_000);
    await expect(rookery).not.toHaveBeenPushedTo({ token });
    expect(await status(id)).toMatchObject({ shownAt: expect.stringMatching(/Z$/) as string });
  });

  it('is pushed to the devices of an absent user after the delay', async () => {
    await rookery.register({ user });
    const id = await notify();
    await rookery.clock.advance(4000);
    expect(rookery.pushes).toEqual([]);
    await rookery.clock.advance(3000);
    const told = { rookery: { id, readUrl: expect.stringContaining('/read?token=') as string } };
    await expect(rookery).toHaveBeenPushedTo({ user }, { notification: { title: 'Hi' }, data: told });
    expect(await status(id)).toMatchObject({ state: 'pushed', publishId: expect.stringMatching(/^pubid-/) as string });
    await rookery.clock.advance(60_000);
    expect(rookery.pushes).toHaveLength(1);
  });

  it('is counted as accepted, shown, waiting, pushed and read', async () => {
    const { registry } = rookery.get(NotificationsMetrics);
    const figures = async () => {
      const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('rookery_notifications_'));
      return Object.fromEntries(
        lines.map((line) => [line.slice(22, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
      );
    };
    const before = await figures();
    const grown = async (name: string) => ((await figures())[name] ?? 0) - (before[name] ?? 0);
    const page = await open();
    await untilState(await notify(), 'shown');
    await page.close();
    await rookery.register({ user });
    const id = await notify();
    expect(await grown('waiting')).toBe(1);
    await rookery.clock.advance(7000);
    await untilState(id, 'pushed');
    await notifications.read(id, app.id);
    const names = [
      'accepted_total{app="app"}',
      'shown_total',
      'settled_total{outcome="pushed"}',
      'read_total',
      'waiting',
    ];
    expect(await Promise.all(names.map(grown))).toEqual([2, 1, 1, 1, 0]);
  });

  it('is pushed to a user whose open page handles nothing', async () => {
    const page = await open();
    await rookery.register({ user });
    page.pause();
    const id = await notify();
    await rookery.clock.advance(7000);
    await expect(rookery).toHaveBeenPushedTo({ user });
    await untilState(id, 'pushed');
    page.resume();
    await untilState(id, 'shown');
    expect(await status(id)).toHaveProperty('pushedAt');
  });

  it('is pushed at once without a delay, and never without a push', async () => {
    await rookery.register({ user });
    const [, quiet] = [await notify({ pushAfterSeconds: 0 }), await notify({ push: undefined })];
    await expect(rookery).toHaveBeenPushedTo({ user });
    await rookery.clock.advance(10_000);
    expect(rookery.pushes).toHaveLength(1);
    expect(await status(quiet)).toMatchObject({ state: 'sent' });
  });

  it('that @OnUserOnline sends is shown by the page that has just signed in', async () => {
    await rookery.register({ user: 'greeted-1' });
    const page = await open(app, 'greeted-1');
    await page.next('message');
    await untilState(rookery.get(Greeter).sent[0]!, 'shown');
    await rookery.clock.advance(60_000);
    await expect(rookery).not.toHaveBeenPushedTo({ user: 'greeted-1' });
  });

  it('is not pushed once read, and is withdrawn from the other pages', async () => {
    const page = await open();
    await rookery.register({ user });
    page.pause();
    const id = await notify();
    await notifications.read(id, app.id);
    page.resume();
    await expect(page).toHaveReceivedEvent(channel(), 'rookery:notifications', { unread: 0, withdrawn: [id] });
    await rookery.clock.advance(10_000);
    await expect(rookery).not.toHaveBeenPushedTo({ user });
    const { state, readAt, withdrawnAt } = await status(id);
    expect([state, withdrawnAt]).toEqual(['read', readAt]);
    const again = await notifications.read(id, app.id);
    expect(again.readAt).toBe(readAt);
  });

  it('is silently withdrawn from the configured platforms when read after a push, and never from browsers', async () => {
    for (const platform of ['apns', 'fcm', 'web'] as const) await rookery.register({ platform, user });
    const shown = { notification: { title: 'Hi' } };
    const id = await notify({ push: { apns: { aps: { alert: 'Hi' } }, fcm: shown, web: shown } }, otherApp);
    await rookery.clock.advance(4000);
    await until(() => rookery.pushes.length === 3, 'it is pushed');
    await notifications.read(id, otherApp.id);
    await rookery.clock.advance(3000);
    await until(() => rookery.pushes.length === 5, 'it is withdrawn');
    const withdrawal = { rookery: { withdrawn: [id] } };
    await expect(rookery).toHaveBeenPushedTo({ user }, { aps: { 'content-available': 1 }, data: withdrawal });
    await expect(rookery).toHaveBeenPushedTo({ user }, { data: withdrawal });
    await rookery.clock.advance(10_000);
    expect(rookery.pushes.map(({ platform }) => platform).toSorted()).toEqual(['apns', 'apns', 'fcm', 'fcm', 'web']);
  });

  it('is not pushed once deleted, and pages remove it from the feed', async () => {
    const page = await open();
    await rookery.register({ user });
    page.pause();
    const [kept, id] = [await notify({ push: undefined }), await notify()];
    await notifications.delete(id, app.id);
    page.resume();
    await expect(page).toHaveReceivedEvent(channel(), 'rookery:notifications', {
      unread: 1,
      withdrawn: [id],
      deleted: [id],
    });
    await rookery.clock.advance(10_000);
    await expect(rookery).not.toHaveBeenPushedTo({ user });
    const { notifications: left, unread } = await notifications.feed(user, {}, app.id);
    expect([left.map((each) => each.id), unread]).toEqual([[kept], 1]);
    await expect(status(id)).rejects.toMatchObject({ code: 'notification_not_found' });
    await expect(notifications.delete(id, app.id)).rejects.toMatchObject({ code: 'notification_not_found' });
    await expect(notifications.delete('a\0b', app.id)).rejects.toMatchObject({ code: 'notification_not_found' });
  });

  it('is silently withdrawn from devices when deleted after a push', async () => {
    await rookery.register({ user });
    const id = await notify({}, otherApp);
    await rookery.clock.advance(4000);
    await untilState(id, 'pushed', otherApp);
    await notifications.delete(id, otherApp.id);
    await rookery.clock.advance(3000);
    await until(() => rookery.pushes.length === 2, 'it is withdrawn');
    await expect(rookery).toHaveBeenPushedTo({ user }, { data: { rookery: { withdrawn: [id] } } });
    await rookery.clock.advance(10_000);
    expect(rookery.pushes).toHaveLength(2);
  });

  it.each<[string, (ids: readonly string[]) => Promise<unknown>]>([
    ['all are read', () => notifications.readAll(user, busyApp.id)],
    ['all are deleted', () => notifications.deleteAll(user, busyApp.id)],
    [
      'they are read one by one',
      async (ids) => {
        for (const id of ids) await notifications.read(id, busyApp.id);
      },
    ],
  ])('is withdrawn with others of its time by one push when %s', async (_, end) => {
    await rookery.register({ user });
    const ids = await Promise.all(Array.from({ length: 100 }, () => notify({}, busyApp)));
    await rookery.clock.advance(4000);
    await until(() => rookery.pushes.length === 100, 'all are pushed');
    await end(ids);
    await rookery.clock.advance(3000);
    await until(() => rookery.pushes.length === 102, 'all are withdrawn');
    await rookery.clock.advance(10_000);
    const withdrawals = rookery.pushes.slice(100).map(({ payload }) => {
      return (payload as { readonly data: { readonly rookery: { readonly withdrawn: string[] } } }).data.rookery
        .withdrawn;
    });
    expect(withdrawals.map(({ length }) => length)).toEqual([80, 20]);
    expect(withdrawals.flat().toSorted()).toEqual(ids.toSorted());
  });

  it('replaces an unread one with its key', async () => {
    const page = await open();
    for (const platform of ['apns', 'fcm', 'web'] as const) await rookery.register({ platform, user });
    page.pause();
    const push = { apns: { aps: { alert: 'Hi' } }, fcm: { notification: { title: 'Hi' } }, web: { notification: {} } };
    const old = await notify({ push, collapseKey: 'chat 7' });
    const id = await notify({ push, collapseKey: 'chat 7' });
    await untilState(old, 'withdrawn');
    await rookery.clock.advance(7000);
    await until(() => rookery.pushes.length === 3, 'the newer one is pushed');
    const [apns, fcm, web] = ['apns', 'fcm', 'web'].map(
      (platform) => rookery.pushes.find((each) => each.platform === platform)!.payload,
    );
    const key = web!['topic'];
    expect(key).toMatch(/^[\w-]{32}$/);
    expect(apns).toMatchObject({ collapse_id: key, data: { rookery: { id } } });
    expect(fcm).toMatchObject({ collapse_key: key, notification: { title: 'Hi', tag: key } });
    page.resume();
    await expect(page).toHaveReceivedEvent(channel(), 'rookery:notifications', { unread: 1, withdrawn: [old] });
  });

  it('waits for the end of quiet hours unless it overrides them', async () => {
    await rookery.register({ user });
    const at = (time: number) => new Date(time).toISOString().slice(11, 16);
    const hour = 3_600_000;
    const quietHours = { from: at(Date.now() - hour), to: at(Date.now() + 120_000) };
    const id = await notify({ quietHours });
    await rookery.clock.advance(15_000);
    expect(rookery.pushes).toEqual([]);
    await rookery.clock.advance(120_000);
    await expect(rookery).toHaveBeenPushedTo({ user });
    await untilState(id, 'pushed');
  });

  it('is skipped if the user had too many within an hour', async () => {
    await rookery.register({ user });
    const first = await notify({}, otherApp);
    await rookery.clock.advance(4000);
    await untilState(first, 'pushed', otherApp);
    const second = await notify({}, otherApp);
    await rookery.clock.advance(4000);
    await untilState(second, 'skipped', otherApp);
    await rookery.settled();
    expect(rookery.pushes).toHaveLength(1);
  });

  it('is pushed though its store answers from a replica that lags behind', async () => {
    await rookery.register({ user });
    const find = vi.spyOn(rookery.get(NotificationRepository), 'find').mockResolvedValueOnce(undefined);
    const id = await notify();
    await rookery.clock.advance(7000);
    await until(() => find.mock.calls.length > 0, 'the worker has looked for it');
    await rookery.clock.advance(7000);
    await untilState(id, 'pushed');
    find.mockRestore();
  });

  it('is pushed if no page can be reached', async () => {
    await rookery.register({ user });
    const broker = rookery.get(Broker);
    const { publish } = broker;
    broker.publish = () => Promise.reject(new Error('the broker is away'));
    const id = await notify();
    broker.publish = publish;
    await rookery.clock.advance(7000);
    await untilState(id, 'pushed');
  });

  it('keeps numbers and empty objects unchanged', async () => {
    const page = await open();
    await notify({ event: { name: 'exact', data: '{ "big": 12345678901234567890 } ' } });
    await notify({ event: { name: 'exact', data: {} } });
    await until(() => dataOf(page, 'exact').length === 2, 'both arrive');
    const texts = page.events.filter(({ event }) => event === 'exact').map(({ rawData }) => rawData);
    expect(texts[0]).toContain('"big": 12345678901234567890 ,"rookery":{');
    expect(texts[1]).toMatch(/^\{"rookery":\{/);
  });
});

describe('a user’s feed', () => {
  it('lists the newest first, page by page, with the number of unread ones', async () => {
    const page = await open();
    const ids: string[] = [];
    for (let n = 1; n <= 3; n++) {
      ids.unshift(await notify({ event: { name: 'message', data: { n } } }));
      await expect(page).toHaveReceivedEvent(channel(), 'rookery:notifications', { unread: n, withdrawn: [] });
      // Those of one millisecond stand in the order of their ids.
      await rookery.clock.advance(5);
    }
    const get = (query: Record<string, string>) => call('GET', `/users/${user}/notifications`, undefined, { query });
    const first = await get({ limit: '2' });
    expect(first.json).toMatchObject({
      unread: 3,
      notifications: [{ id: ids[0], event: { data: { n: 3 } } }, { id: ids[1] }],
    });
    const cursor = first.json.responseMetadata.nextCursor as string;
    const second = await get({ limit: '2', cursor });
    expect(second.json).toMatchObject({ notifications: [{ id: ids[2] }], responseMetadata: {} });
    expect(second.json.responseMetadata).toEqual({});
    await notifications.read(ids[1]!, app.id);
    expect((await get({})).json.unread).toBe(2);
    expect(await get({ limit: '0' })).toMatchObject({
      status: 400,
      text: 'limit must be a whole number from 1 to 100\n',
    });
    expect(await get({ cursor: 'x' })).toMatchObject({
      status: 400,
      text: 'cursor must be the nextCursor of an earlier answer\n',
    });
  });

  it('is marked as read as a whole, which pages hear in events of a hundred', async () => {
    const page = await open();
    const ids: string[] = [];
    for (let n = 0; n < 249; n++) ids.push(await notify({ event: { name: 'note', data: { n } } }));
    // Those of one millisecond stand in the order of their ids.
    await rookery.clock.advance(5);
    ids.push(await notify({ event: { name: 'note', data: { n: 249 } } }));
    await notifications.read(ids[0]!, app.id);
    const unread = () =>
      call('GET', `/users/${user}/notifications`, undefined, { query: { unread: 'true', limit: '1' } });
    expect((await unread()).json).toMatchObject({ unread: 249, notifications: [{ id: ids.at(-1) }] });
    expect((await call('POST', '/notifications/read_all', { userId: user })).json).toEqual({ read: 249 });
    expect((await unread()).json).toEqual({ notifications: [], unread: 0, responseMetadata: {} });
    const withdrawn = () => dataOf(page, 'rookery:notifications').flatMap((each) => each['withdrawn'] as string[]);
    await until(() => withdrawn().length === 250, 'the page hears of all');
    expect(new Set(withdrawn())).toEqual(new Set(ids));
    expect(Math.max(...dataOf(page, 'rookery:notifications').map(({ withdrawn: { length } }) => length))).toBe(100);
    expect((await call('POST', '/notifications/read_all', { userId: user })).json).toEqual({ read: 0 });
  });

  it('is not marked as read by what names no user, and not filtered by what is neither true nor false', async () => {
    const readAll = (body: object) => call('POST', '/notifications/read_all', body);
    expect(await readAll({})).toMatchObject({ status: 400, text: 'Missing required parameter: userId\n' });
    expect(await readAll({ userId: 7 })).toMatchObject({ status: 400, text: 'userId must be a string\n' });
    expect(await readAll({ userId: 'a\0b' })).toMatchObject({ status: 200, json: { read: 0 } });
    const query = { unread: 'yes' };
    expect(await call('GET', `/users/${user}/notifications`, undefined, { query })).toMatchObject({
      status: 400,
      text: 'unread must be true or false\n',
    });
  });

  it('is deleted as a whole, in events of a hundred', async () => {
    const page = await open();
    await rookery.register({ user });
    page.pause();
    const ids: string[] = [];
    for (let n = 0; n < 150; n++) ids.push(await notify());
    await notifications.read(ids[0]!, app.id);
    const remove = () => call('DELETE', `/users/${user}/notifications`);
    expect((await remove()).json).toEqual({ deleted: 150 });
    expect((await remove()).json).toEqual({ deleted: 0 });
    expect(await notifications.feed(user, {}, app.id)).toEqual({ notifications: [], unread: 0 });
    page.resume();
    const deleted = () => dataOf(page, 'rookery:notifications').flatMap((each) => (each['deleted'] ?? []) as string[]);
    await until(() => deleted().length === 150, 'the page hears of all');
    expect(new Set(deleted())).toEqual(new Set(ids));
    await rookery.clock.advance(10_000);
    expect(rookery.pushes).toEqual([]);
    expect((await call('DELETE', `/users/${encodeURIComponent('a\0b')}/notifications`)).json).toEqual({ deleted: 0 });
    expect(await call('DELETE', `/users/${user}/elsewhere`)).toMatchObject({ status: 404 });
  });

  it('is empty for a user without notifications, with any name', async () => {
    const { json } = await call('GET', `/users/${encodeURIComponent('a/b ü')}/notifications`, undefined, {
      signedPath: undefined,
    });
    expect(json).toEqual({ notifications: [], unread: 0, responseMetadata: {} });
  });
});

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, signing: Signing = {}) {
  const { signedPath: _, ...rest } = signing;
  const answer = await overSocket(rookery, signed(method, path, body, { app, ...rest }));
  const json: any = answer.text.startsWith('{') ? JSON.parse(answer.text) : undefined;
  return { ...answer, json };
}

describe('the HTTP API', () => {
  const body = () => ({ ...message, userId: user });

  it('accepts a notification, returns its state, and marks it as read', async () => {
    const { status, json } = await call('POST', '/notifications', { ...body(), collapseKey: 'a' });
    expect([status, Object.keys(json)]).toEqual([200, ['id']]);
    const path = `/notifications/${json.id}`;
    expect((await call('GET', path)).json).toMatchObject({
      id: json.id,
      userId: user,
      state: 'sent',
      event: { name: 'message', data: { text: 'Hi' } },
      collapseKey: 'a',
    });
    expect((await call('POST', `${path}/read`)).json).toMatchObject({ state: 'read' });
    expect(await call('DELETE', path)).toMatchObject({ status: 200, json: {} });
    expect(await call('DELETE', path)).toMatchObject({ status: 404, text: 'Notification not found\n' });
  });

  it('performs repeated requests with one Idempotency-Key once', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `key of ${user}` };
    const post = async (more: object = {}) => {
      const request = signed('POST', '/notifications', { ...body(), ...more }, { app });
      const length = String(Buffer.byteLength(request.body!));
      return overSocket(rookery, { ...request, headers: { ...headers, 'content-length': length } });
    };
    const [first, second] = [await post(), await post()];
    expect(second.text).toBe(first.text);
    expect((await notifications.feed(user, {}, app.id)).unread).toBe(1);
    expect((await post({ collapseKey: 'another' })).status).toBe(422);
  });

  const text = 'x'.repeat(10_241);
  it.each<[string, () => object, number, string | RegExp]>([
    ['no user', () => ({ ...message }), 400, 'Missing required parameter: userId'],
    ['no event', () => ({ userId: user }), 400, 'Missing required parameter: event'],
    [
      'a user that is no text',
      () => ({ ...message, userId: 7 }),
      400,
      'userId must be a text that is not empty, got number',
    ],
    ['a user id that is too long', () => ({ ...message, userId: 'x'.repeat(129) }), 400, /^Invalid user id: /],
    ['a user id with NUL', () => ({ ...message, userId: 'a\0b' }), 400, /^Invalid user id: /],
    ['an event whose name has NUL', () => ({ ...body(), event: { name: 'a\0', data: {} } }), 400, /^event\.name must/],
    ['a collapse key with NUL', () => ({ ...body(), collapseKey: 'a\0' }), 400, /^collapseKey must/],
    ['an event without a name', () => ({ ...body(), event: { data: {} } }), 400, /^event\.name must be a text/],
    ['an event of a reserved name', () => ({ ...body(), event: { name: 'pusher:x', data: {} } }), 400, /is reserved/],
    [
      'data that is no object',
      () => ({ ...body(), event: { name: 'x', data: [1] } }),
      400,
      /^event\.data must be an object/,
    ],
    [
      'data that is no JSON',
      () => ({ ...body(), event: { name: 'x', data: 'Hi' } }),
      400,
      /^event\.data must be an object/,
    ],
    [
      'data that is too large',
      () => ({ ...body(), event: { name: 'x', data: { text } } }),
      413,
      /exceeds the allowed maximum/,
    ],
    ['a push without a platform', () => ({ ...body(), push: {} }), 400, /^push: .*anyOf/],
    [
      'a push of the wrong kind',
      () => ({ ...body(), push: { fcm: 7 } }),
      400,
      'push: `fcm`: Invalid type. Expected: object, given: integer',
    ],
    ['a push to others', () => ({ ...body(), push: { fcm: {}, users: ['x'] } }), 400, /^push\.users must be left out/],
    [
      'a time below 0',
      () => ({ ...body(), pushAfterSeconds: -1 }),
      400,
      /^pushAfterSeconds must be a number from 0 to 86400/,
    ],
    [
      'quiet hours without an end',
      () => ({ ...body(), quietHours: { from: '22:00' } }),
      400,
      /^quietHours\.to must be a time of day/,
    ],
    [
      'a misspelt field',
      () => ({ ...body(), collapsekey: 'a' }),
      400,
      /^collapsekey is no parameter; known are userId, users, event, push, /,
    ],
    ['a body that is no object', () => [1], 400, 'The request body is not a JSON object'],
  ])('refuses %s', async (_, given, status, sentence) => {
    const refused = await call('POST', '/notifications', given());
    expect(refused).toMatchObject({ status, contentType: 'text/plain; charset=utf-8' });
    expect(refused.text.trimEnd()).toMatch(
      typeof sentence === 'string' ? new RegExp(`^${escaped(sentence)}$`) : sentence,
    );
  });
  const escaped = (given: string) => given.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

  it('shows no notifications of other apps, nor of apps without notifications', async () => {
    const id = await notify();
    for (const [method, path] of [
      ['GET', `/notifications/${id}`],
      ['POST', `/notifications/${id}/read`],
      ['DELETE', `/notifications/${id}`],
    ] as const)
      expect(await call(method, path, undefined, { app: otherApp })).toMatchObject({
        status: 404,
        text: 'Notification not found\n',
      });
    expect(await call('GET', `/users/${user}/notifications`, undefined, { app: otherApp })).toMatchObject({
      json: { notifications: [] },
    });
    expect(await call('POST', '/notifications', body(), { app: silentApp })).toMatchObject({
      status: 404,
      text: 'Notifications are not configured for this app\n',
    });
    expect(await call('GET', `/notifications/${crypto.randomUUID()}`)).toMatchObject({ status: 404 });
    expect(await call('GET', `/notifications/${id}`, undefined, { signature: '0'.repeat(64) })).toMatchObject({
      status: 401,
    });
    expect(await call('POST', '/notifications', body(), { app: otherApp, appId: app.id })).toMatchObject({
      status: 401,
      text: 'Unknown auth_key for this app\n',
    });
  });
});

describe('a read link', () => {
  it.each(['GET', 'HEAD'])('changes nothing when it is previewed: %s', async (method) => {
    const { id, readUrl } = await status(await notify());
    const answer = await fetch(rookery.url + readUrl, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
    expect((await status(id)).state).not.toBe('read');
  });

  it('is called by pages of any origin', async () => {
    const { readUrl } = await status(await notify());
    const answer = await fetch(rookery.url + readUrl, { method: 'POST', headers: { origin: 'https://shop.example' } });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect((await notifications.feed(user, {}, app.id)).notifications).toMatchObject([{ state: 'read' }]);
  });

  it('also deletes the notification, for pages of any origin', async () => {
    const { id, readUrl } = await status(await notify());
    const origin = 'https://shop.example';
    const headers = { origin, 'access-control-request-method': 'DELETE' };
    const preflight = await fetch(rookery.url + readUrl, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
    const remove = async () => {
      const answer = await fetch(rookery.url + readUrl, { method: 'DELETE', headers: { origin } });
      return [answer.status, answer.headers.get('access-control-allow-origin'), await answer.text()];
    };
    expect(await remove()).toEqual([200, '*', '{}']);
    expect(await remove()).toEqual([404, '*', 'Notification not found\n']);
    await expect(status(id)).rejects.toMatchObject({ code: 'notification_not_found' });
    const forged = await fetch(`${rookery.url}${readUrl.slice(0, -3)}AAA`, { method: 'DELETE' });
    expect(forged.status).toBe(401);
  });

  it('is valid for its app, unchanged, until it expires', async () => {
    const { id, readUrl } = await status(await notify());
    const read = async (url: string) => {
      const answer = await fetch(rookery.url + url, { method: 'POST' });
      return [answer.status, await answer.text()];
    };
    const refused = [401, 'The link is not valid any more\n'];
    expect(await read(readUrl.replace('/app/', '/other/'))).toEqual(refused);
    expect(await read(readUrl.replace('/app/', '/nobody/'))).toEqual(refused);
    expect(await read(`${readUrl.slice(0, -3)}AAA`)).toEqual(refused);
    expect(await read(readUrl.replace(/\?.*/, ''))).toEqual(refused);
    await rookery.clock.advance(61_000);
    expect(await read(readUrl)).toEqual(refused);
    expect((await status(id)).state).not.toBe('read');
  });

  it('begins with the configured address', async () => {
    const { readUrl } = await status(await notify({}, otherApp), otherApp);
    expect(readUrl).toMatch(/^https:\/\/ws\.example\/apps\/other\/notifications\/read\?token=/);
  });
});
