import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Broker, ChannelsModule } from 'rookery/channels';
import { type NotificationBody, NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting, rookeryMatchers, testingApp, testingInstance } from '@rookery/testing';
import { channelsClient } from '@rookery/client/server';
import '@rookery/testing/vitest';
import { notificationsDescription } from '../../libs/notifications/src/notifications.module.js';
import { overSocket, signed } from '../support/channels-api.js';
import { documentedChannels } from '../support/documented-channels.js';
import { until } from '../support/until.js';

documentedChannels.add(notificationsDescription());

expect.extend(rookeryMatchers);

let rookery: RookeryTesting;
let notifications: NotificationsService;
beforeAll(async () => {
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testingApp] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot(),
  ]);
  notifications = rookery.get(NotificationsService);
});
afterAll(() => rookery.close());
afterEach(() => rookery.reset());

let tests = 0;
let team: readonly string[];
beforeEach(() => {
  tests += 1;
  team = ['ann', 'bob', 'cat'].map((name) => `${name} ${tests}`);
});

const push = { fcm: { notification: { title: 'Hi' } } };
const message = { event: { name: 'message', data: { text: 'Hi' } }, push };
const unreadOf = async (user: string) => (await notifications.feed(user)).unread;

async function post(body: object, headers?: Record<string, string>) {
  const request = signed('POST', '/notifications', body, { app: testingApp });
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(request.body!)) };
  const answer = await overSocket(rookery, headers ? { ...request, headers: { ...length, ...headers } } : request);
  const json = (answer.text.startsWith('{') ? JSON.parse(answer.text) : undefined) as { ids: string[] } | undefined;
  return { ...answer, json };
}

describe('a notification for several users', () => {
  it('reaches each on an open page or else by push, with an id for each user in their order', async () => {
    const [ann, bob, cat] = team as [string, string, string];
    const page = await rookery.connect({ user: { id: bob } });
    for (const user of team) await rookery.register({ user });
    const { json } = await post({ ...message, users: team });
    const { ids } = json!;
    expect(new Set(ids).size).toBe(3);
    await expect(page).toHaveReceivedEvent(`#server-to-user-${bob}`, 'message', {
      text: 'Hi',
      rookery: { id: ids[1], readUrl: expect.stringContaining('/read?token=') as string },
    });
    await expect(page).toHaveReceivedEvent(`#server-to-user-${bob}`, 'rookery:notifications', {
      unread: 1,
      withdrawn: [],
    });
    await rookery.clock.advance(7000);
    await expect(rookery).toHaveBeenPushedTo({ user: ann });
    await expect(rookery).toHaveBeenPushedTo({ user: cat });
    expect(rookery.pushes).toHaveLength(2);
    const states = await Promise.all(ids.map((id) => notifications.status(id)));
    expect(states).toMatchObject([
      { userId: ann, state: 'pushed' },
      { userId: bob, state: 'shown' },
      { userId: cat, state: 'pushed' },
    ]);
    await page.close();
  });

  it('replaces the unread one of each user with its key', async () => {
    const [ann, bob] = team as [string, string];
    const body: NotificationBody = { ...message, collapseKey: 'build' };
    const old = await notifications.notifyUsers([ann, bob], body);
    const page = await rookery.connect({ user: { id: bob } });
    await notifications.notifyUsers(team, body);
    await expect(page).toHaveReceivedEvent(`#server-to-user-${bob}`, 'rookery:notifications', {
      unread: 1,
      withdrawn: [old[1]],
    });
    expect(await Promise.all(team.map(unreadOf))).toEqual([1, 1, 1]);
    await page.close();
  });

  it('is stored once for repeated requests with one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `key ${tests}` };
    const [first, second] = [
      await post({ ...message, users: team }, headers),
      await post({ ...message, users: team }, headers),
    ];
    expect(second.text).toBe(first.text);
    expect(await Promise.all(team.map(unreadOf))).toEqual([1, 1, 1]);
  });

  it('is sent by @rookery/client/server, also to one user', async () => {
    const { id: appId, key, secret } = testingApp;
    const channels = channelsClient({ url: rookery.url, appId, key, secret });
    const { ids } = await channels.notify({ ...message, users: team });
    const { id } = await channels.notify({ ...message, userId: team[0]!, collapseKey: 'one' });
    expect(ids).toHaveLength(3);
    expect(await notifications.status(ids[2]!)).toMatchObject({ userId: team[2] });
    expect(await notifications.status(id)).toMatchObject({ userId: team[0], collapseKey: 'one' });
    await expect(channels.notify({ ...message, users: [] })).rejects.toMatchObject({ status: 400 });
  });

  it('goes to a thousand users at once', async () => {
    const users = Array.from({ length: 1000 }, (_, n) => `user ${n}`);
    const ids = await notifications.notifyUsers(users, message);
    expect(new Set(ids).size).toBe(1000);
    expect(await notifications.status(ids[999]!)).toMatchObject({ userId: 'user 999' });
  });

  const long = '💬'.repeat(100);
  it.each<[string, (users: readonly string[]) => object, RegExp]>([
    ['no users', () => ({ users: [] }), /^users must contain at least 1 /],
    [
      'too many',
      () => ({ users: Array.from({ length: 1001 }, (_, n) => `u${n}`) }),
      /^users must contain no more than 1000 /,
    ],
    ['one user twice', (users) => ({ users: [...users, users[0]] }), /^users must name each once/],
    ['users that are no list', () => ({ users: 'ann' }), /^users must be an array/],
    ['a user that is no text', (users) => ({ users: [...users, 7] }), /^users\[3\] must be a text that is not empty/],
    ['nobody', () => ({ users: null }), /^Missing required parameter: users/],
    ['a user beside users', (users) => ({ users, userId: users[0] }), /^userId must be left out beside users/],
    ['a user id that is too long', (users) => ({ users: [...users, 'x'.repeat(129)] }), /^Invalid user id: 'x{20}/],
    [
      'a user id that devices cannot have',
      (users) => ({ users: [...users, long] }),
      /^push: the user id "(💬){100}" is longer than 164 bytes\n$/u,
    ],
    ['a user id with NUL', (users) => ({ users: [...users, 'a\0b'] }), /^Invalid user id: 'a/],
    ['a push that is invalid', (users) => ({ users, push: { fcm: 7 } }), /^push: `fcm`/],
    ['a push to users of its own', (users) => ({ users, push: { ...push, users } }), /^push\.users must be left out/],
  ])('is refused for all with %s', async (_, given, sentence) => {
    const refused = await post({ ...message, ...given(team) });
    expect(refused).toMatchObject({ status: 400, contentType: 'text/plain; charset=utf-8' });
    expect(refused.text).toMatch(sentence);
    expect(await Promise.all(team.map(unreadOf))).toEqual([0, 0, 0]);
  });
});

it('is sent to a hundred users at once, and answered when it was sent to the last', async () => {
  const broker = rookery.get(Broker);
  const publish = broker.publish.bind(broker);
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  let underWay = 0;
  broker.publish = async (...message) => {
    underWay++;
    await gate;
    return publish(...message);
  };
  let isAnswered = false;
  const users = Array.from({ length: 150 }, (_, n) => `user ${n} of ${tests}`);
  const sent = notifications.notifyUsers(users, message).then(() => (isAnswered = true));
  await until(() => underWay >= 100, 'a hundred are under way');
  await rookery.settled();
  expect([underWay, isAnswered]).toEqual([100, false]);
  open();
  await sent;
  broker.publish = publish;
});
