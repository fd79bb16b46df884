import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const long = `presence-${'x'.repeat(191)}`;
const other = { id: '4', key: 'other-key', secret: 'other-secret' };
let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, subscriptionCount: true }, other] });
  const client = await SocketClient.connect(server.port);
  for (const channel of ['public', 'private-a']) await client.subscribe(channel);
  for (const channel of ['presence-a', long]) await client.subscribe(channel, { user_id: 7 });
  const second = await SocketClient.connect(server.port);
  await second.subscribe('presence-a', { user_id: '7' });
  await second.subscribe('public');
  const third = await SocketClient.connect(server.port);
  await third.subscribe('presence-a', { user_id: 'bob' });
});
afterAll(() => server.close());

describe.each(transports)('reading channels, %s', (_, transport: Transport) => {
  const get = async (path: string, query: Record<string, string> = {}, app = testApp) => {
    const answer = await transport(server, signed('GET', path, undefined, { query, app }));
    return { ...answer, json: answer.status === 200 ? (JSON.parse(answer.text) as unknown) : undefined };
  };

  it('lists the occupied channels of the app', async () => {
    const { json, contentType } = await get('/channels');
    expect(contentType).toBe('application/json; charset=utf-8');
    expect(json).toEqual({ channels: { public: {}, 'private-a': {}, 'presence-a': {}, [long]: {} } });
    expect(await get('/channels', {}, other)).toMatchObject({ text: '{"channels":{}}' });
  });

  it.each([
    ['/channels/public', { info: 'subscription_count' }, { occupied: true, subscription_count: 2 }],
    [
      '/channels/presence-a',
      { info: 'user_count,subscription_count' },
      { occupied: true, user_count: 2, subscription_count: 3 },
    ],
    ['/channels/cache-nobody', { info: 'cache' }, { occupied: false, cache: null }],
    [`/channels/${long}`, { info: 'user_count' }, { occupied: true, user_count: 1 }],
    ['/channels/presence-a/users', {}, { users: [{ id: '7' }, { id: 'bob' }] }],
    [`/channels/${long}/users`, {}, { users: [{ id: '7' }] }],
  ])('GET %s %j answers %j', async (path, query: Record<string, string>, expected) => {
    expect((await get(path, query)).json).toEqual(expected);
  });

  it('answers the info of users with all its digits, if asked', async () => {
    const client = await SocketClient.connect(server.port);
    const channel = `presence-${crypto.randomUUID()}`;
    await client.subscribe(channel, '{"user_id":"ann","user_info":{"account":9007199254740993}}');
    const ben = await SocketClient.connect(server.port);
    await ben.subscribe(channel, { user_id: 'ben' });
    const { text, contentType } = await get(`/channels/${channel}/users`, { info: 'user_info' });
    expect(text).toBe('{"users":[{"id":"ann","user_info":{"account":9007199254740993}},{"id":"ben"}]}');
    expect(contentType).toBe('application/json; charset=utf-8');
    for (const each of [client, ben]) each.close();
  });

  it('counts the connections of the app, and of no other', async () => {
    const stranger = await SocketClient.connect(server.port, other);
    expect((await get('/connections', {}, other)).json).toEqual({ connections: 1 });
    stranger.close();
    await until(
      async () => (await get('/connections', {}, other)).text === '{"connections":0}',
      'the closed one is no longer counted',
    );
  });

  it.each([
    [
      '/channels',
      { info: 'user_count' },
      'user_count may only be requested for presence channels - please supply filter_by_prefix begining with presence-\n',
    ],
    [
      '/channels',
      { info: 'subscription_count', filter_by_prefix: 'presence-' },
      'info should be a comma separated list of attributes',
    ],
    [
      '/channels/public',
      { info: 'user_count' },
      'Cannot retrieve the user count unless the channel is a presence channel\n',
    ],
    ['/channels/public', { info: 'cache' }, 'Cannot retrieve the cache unless the channel is a cache channel\n'],
    ['/channels/public', { info: 'nothing' }, 'info should be a comma separated list of attributes'],
    ['/channels/a%20b', {}, "Invalid channel name: 'a b'\n"],
    [
      '/channels/presence-a/users',
      { info: 'user_count' },
      'info should be a comma separated list of attributes out of user_info\n',
    ],
    ['/channels/public/users', {}, 'Users can only be retrieved for presence channels\n'],
  ])('GET %s %j is 400', async (path, query: Record<string, string>, text) => {
    const answer = await get(path, query);
    expect(answer).toMatchObject({ status: 400, contentType: 'text/plain; charset=utf-8' });
    expect(answer.text).toContain(text);
  });
});

describe.each(transports)('with countsInChannelList, a list %s', (_, transport: Transport) => {
  it.each([
    [
      { info: 'subscription_count,user_count' },
      { public: { subscription_count: 1 }, 'presence-a': { user_count: 1, subscription_count: 2 } },
    ],
    [{ info: 'user_count' }, { public: {}, 'presence-a': { user_count: 1 } }],
    [{ info: 'subscription_count', filter_by_prefix: 'pub' }, { public: { subscription_count: 1 } }],
    [{}, { public: {}, 'presence-a': {} }],
  ])('%j answers the counts of all its channels in one call', async (query: Record<string, string>, channels) => {
    const counting = await startChannels({ apps: [{ ...testApp, countsInChannelList: true }] });
    const [first, second] = [await SocketClient.connect(counting.port), await SocketClient.connect(counting.port)];
    await first.subscribe('public');
    for (const client of [first, second]) await client.subscribe('presence-a', { user_id: 'ann' });
    const { text } = await transport(counting, signed('GET', '/channels', undefined, { query }));
    expect(JSON.parse(text)).toEqual({ channels });
    await counting.close();
  });
});

it('omits subscription_count while the app has it switched off', async () => {
  const quiet = await startChannels();
  const client = await SocketClient.connect(quiet.port);
  await client.subscribe('public');
  const answer = await transports[0]![1](
    quiet,
    signed('GET', '/channels/public', undefined, { query: { info: 'subscription_count' } }),
  );
  expect(answer.text).toBe('{"occupied":true}');
  await quiet.close();
});
