import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `u${i}`);
const unwatched = { ...testApp, id: '4', key: 'unwatched', watchlist: false };
let server: ChannelsServer;
const clients: SocketClient[] = [];
beforeAll(async () => {
  server = await startChannels({ apps: [testApp, unwatched] });
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.close();
    await client.closing();
  }
});
afterAll(() => server.close());

const connect = async (app = testApp) => {
  const client = await SocketClient.connect(server.port, app);
  clients.push(client);
  return client;
};
const watched = async (client: SocketClient) => {
  const frame = await client.next('pusher_internal:watchlist_events');
  expect(frame.channel).toBeUndefined();
  return (JSON.parse(frame.data as string) as { events: unknown }).events;
};

describe('signing in', () => {
  it('is confirmed with exactly the signed user data', async () => {
    const client = await connect();
    const { data } = await client.signin({ id: '12345', user_info: { name: 'é' } });
    expect(JSON.parse(data as string)).toEqual({ user_data: '{"id":"12345","user_info":{"name":"é"}}' });
    await client.signin({ id: '12345' });
  });

  it.each([
    ['a wrong signature', '{"id":"1"}', `${testApp.key}:abc`, 'Invalid signature'],
    ['the key of another app', '{"id":"1"}', 'other:abc', 'Invalid key'],
    ['user data that is not JSON', '{', undefined, 'user_data must be a JSON object'],
    ['no id', '{}', undefined, 'user_data must have an id'],
    ['an id that is a number', '{"id":7}', undefined, 'user_data must have an id: a string of 1 to 128 characters'],
    ['an empty id', '{"id":""}', undefined, 'user_data must have an id'],
    ['an id that is an object', '{"id":{}}', undefined, 'user_data must have an id'],
    ['an id that is too long', `{"id":"${'u'.repeat(129)}"}`, undefined, 'user_data must have an id'],
    ['an id with NUL', '{"id":"a\\u0000b"}', undefined, 'id contains NUL or half a surrogate pair'],
    ['an id with half a character', '{"id":"a\\ud800b"}', undefined, 'id contains NUL or half a surrogate pair'],
    [
      'a watchlist with half a character',
      '{"id":"1","watchlist":["a","a\\ud800b"]}',
      undefined,
      'watchlist contains NUL or half a surrogate pair',
    ],
    ['a watchlist that is none', '{"id":"1","watchlist":"x"}', undefined, 'watchlist must be an array'],
  ])('with %s is refused and the connection stays', async (_what, userData, auth, text) => {
    const client = await connect();
    const token = auth ?? client.sign(`${client.socketId}::user::${userData}`);
    client.send({ event: 'pusher:signin', data: { auth: token, user_data: userData } });
    expect((await client.next('pusher:error')).data).toMatchObject({
      code: null,
      message: expect.stringContaining(text),
    });
    expect(await client.settled('pusher:signin_success')).toEqual([]);
  });

  it('is confirmed without a watchlist, in any notation', async () => {
    const client = await SocketClient.connect(server.port);
    await client.signin({ id: 'alone', watchlist: null, user_info: null });
    expect(await client.settled('pusher:error')).toEqual([]);
    client.close();
  });

  it('as another user on the same connection is refused', async () => {
    const client = await connect();
    await client.signin({ id: 'alice' });
    const userData = '{"id":"bob"}';
    const auth = client.sign(`${client.socketId}::user::${userData}`);
    client.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
    expect((await client.next('pusher:error')).data).toMatchObject({
      message: expect.stringContaining('Another user'),
    });
  });
});

const awkwardIds = ['auth0|abc', 'user:1', 'é', 'a b', 'a/b?c#d%20', '"\\\n', '__proto__', '💬'.repeat(128)];

it("shows a user's channel only to the user: neither the API nor webhooks mention it", async () => {
  const receiver = await WebhookReceiver.start();
  const telling = await startChannels({
    apps: [{ ...testApp, subscriptionCount: true, webhooks: [{ url: receiver.url('/hook') }] }],
    webhooks: { holdMs: 0 },
  });
  const channel = '#server-to-user-alice';
  const client = await SocketClient.connect(telling.port);
  await client.signin({ id: 'alice', watchlist: ['bob'] });
  client.send({ event: 'pusher:subscribe', data: { auth: '', channel } });
  await client.next('pusher_internal:subscription_succeeded');
  await client.subscribe('news');

  const get = (path: string, query = {}) => overSocket(telling, signed('GET', path, undefined, { query }));
  expect((await get('/channels')).text).toBe('{"channels":{"news":{}}}');
  expect((await get('/channels', { filter_by_prefix: '#' })).text).toBe('{"channels":{}}');
  const named = encodeURIComponent(channel);
  expect(await get(`/channels/${named}`)).toMatchObject({ status: 400, text: `Invalid channel name: '${channel}'\n` });
  expect(await get(`/channels/${named}`, { info: 'subscription_count' })).toMatchObject({ status: 400 });
  expect(await get(`/channels/${named}/users`)).toMatchObject({ status: 400 });
  const event = { name: 'hi', channels: [channel, 'news'], data: '1', info: 'subscription_count' };
  expect((await overSocket(telling, signed('POST', '/events', event))).text).toBe(
    `{"channels":{"${channel}":{},"news":{"subscription_count":1}}}`,
  );
  expect(await client.next('hi')).toMatchObject({ channel });

  client.send({ event: 'pusher:unsubscribe', data: { channel } });
  client.send({ event: 'pusher:unsubscribe', data: { channel: 'news' } });
  await receiver.untilEvents('/hook', 4);
  client.send({ event: 'pusher:subscribe', data: { auth: '', channel } });
  await client.next('pusher_internal:subscription_succeeded');
  client.close();
  await client.closing();
  await telling.close();
  expect(receiver.events('/hook').map((told) => told.channel)).toEqual(['news', 'news', 'news', 'news']);
  await receiver.close();
});

describe.each(awkwardIds)('a user whose id is %j', (id) => {
  const channel = `#server-to-user-${id}`;

  it('signs in, and gets events on their own channel', async () => {
    const client = await connect();
    await client.signin({ id });
    client.send({ event: 'pusher:subscribe', data: { auth: '', channel } });
    expect(await client.next('pusher_internal:subscription_succeeded')).toMatchObject({ channel, data: '{}' });
    const event = { name: 'hi', channel, data: '1' };
    await overSocket(server, signed('POST', '/events', event));
    await overSocket(server, signed('POST', '/batch_events', { batch: [event] }));
    for (let n = 0; n < 2; n++) expect(await client.next('hi')).toEqual({ event: 'hi', channel, data: '1' });
    client.send({ event: 'pusher:unsubscribe', data: { channel } });
    await client.settled('');
    await overSocket(server, signed('POST', '/events', event));
    expect(await client.settled('hi')).toEqual([]);
  });

  it('is watched, is present, and can be terminated', async () => {
    const [watcher, user] = [await connect(), await connect()];
    await watcher.signin({ id: 'watcher', watchlist: [id] });
    expect(await watched(watcher)).toEqual([{ name: 'offline', user_ids: [id] }]);
    await user.signin({ id });
    expect(await watched(watcher)).toEqual([{ name: 'online', user_ids: [id] }]);
    expect(await user.subscribe('presence-room')).toMatchObject({ presence: { ids: [id] } });
    const path = `/users/${encodeURIComponent(id)}/terminate_connections`;
    expect(await overSocket(server, signed('POST', path, '{}'))).toMatchObject({ status: 200 });
    expect((await user.closing()).code).toBe(4009);
    expect(await watched(watcher)).toEqual([{ name: 'offline', user_ids: [id] }]);
  });
});

it("admits only the user to the user's channel", async () => {
  const client = await connect();
  await client.signin({ id: 'a b' });
  for (const channel of ['#server-to-user-', '#server-to-user-a', '#server-to-user-a b ', '#server-to-user-a%20b']) {
    client.send({ event: 'pusher:subscribe', data: { auth: '', channel } });
    await client.next('pusher:error');
  }
  expect(await client.settled('pusher_internal:subscription_succeeded')).toEqual([]);
});

it("works for a user's channel with any limit on names", async () => {
  const short = await startChannels({ apps: [testApp], limits: { channelNameLength: 20, userIdLength: 300 } });
  const client = await SocketClient.connect(short.port);
  const id = 'u'.repeat(300);
  await client.signin({ id });
  client.send({ event: 'pusher:subscribe', data: { auth: '', channel: `#server-to-user-${id}` } });
  await client.next('pusher_internal:subscription_succeeded');
  client.close();
  await short.close();
});

describe('a watchlist', () => {
  it('over 100 users is truncated, and reported after the sign-in', async () => {
    const alice = await connect();
    await alice.signin({ id: 'alice', watchlist: Array.from({ length: 101 }, (_, i) => `u${i}`) });
    const [events] = (await watched(alice)) as [{ user_ids: string[] }];
    expect(events.user_ids).toHaveLength(100);
    expect((await alice.next('pusher:error')).data).toMatchObject({ code: 4302 });
    expect(alice.closed).toBeUndefined();
  });

  it.each([
    ['with 100 users, some of them twice', testApp, [...many(100), ...many(50)]],
    ['of an app without watchlists', unwatched, many(101)],
  ])('%s is not too long', async (_, app, watchlist) => {
    const alice = await connect(app);
    await alice.signin({ id: 'alice', watchlist });
    expect(await alice.settled('pusher:error')).toEqual([]);
  });

  it('that is too long is reported once, even if the user signs in again', async () => {
    const alice = await connect();
    await alice.signin({ id: 'alice', watchlist: many(101) });
    await alice.next('pusher:error');
    await alice.signin({ id: 'alice', watchlist: many(101) });
    expect(await alice.settled('pusher:error')).toEqual([]);
  });

  it('is not served if the app has it switched off', async () => {
    const alice = await connect(unwatched);
    await alice.signin({ id: 'alice', watchlist: ['bob'] });
    expect(await alice.settled('pusher_internal:watchlist_events')).toEqual([]);
  });
});
