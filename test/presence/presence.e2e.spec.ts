import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

let server: ChannelsServer;
const clients: SocketClient[] = [];
let room = '';
let rooms = 0;
beforeAll(async () => {
  server = await startChannels();
});
afterEach(() => clients.splice(0).forEach((client) => client.close()));
afterAll(() => server.close());

const connect = async (port = server.port) => {
  const client = await SocketClient.connect(port);
  clients.push(client);
  room = `presence-room-${rooms++}`;
  return client;
};
const error = async (client: SocketClient) => (await client.next('pusher:error')).data as { message: string };

describe('a presence channel', () => {
  it('announces a user with the first connection and removes them with the last', async () => {
    const [alice, bob, bobAgain] = [await connect(), await connect(), await connect()];
    await alice.subscribe(room, { user_id: 'alice' });
    await bob.subscribe(room, { user_id: 7, user_info: { n: 1 } });
    expect(await alice.next('pusher_internal:member_added')).toEqual({
      event: 'pusher_internal:member_added',
      channel: room,
      data: '{"user_id":"7","user_info":{"n":1}}',
    });
    const again = await bobAgain.subscribe(room, { user_id: '7', user_info: { n: 2 } });
    expect(again).toMatchObject({ presence: { count: 2, hash: { 7: { n: 1 } } } });
    expect(await alice.settled('pusher_internal:member_added')).toEqual([]);

    bob.send({ event: 'pusher:unsubscribe', data: { channel: room } });
    await bob.settled('nothing');
    expect(await alice.settled('pusher_internal:member_removed')).toEqual([]);
    bobAgain.close();
    expect(await alice.next('pusher_internal:member_removed')).toEqual({
      event: 'pusher_internal:member_removed',
      channel: room,
      data: '{"user_id":"7"}',
    });
    expect(await bob.settled('pusher_internal:member_added')).toEqual([]);
  });

  it('uses the signed-in user without channel_data, and channel_data if both are given', async () => {
    const [alice, bob] = [await connect(), await connect()];
    await alice.signin({ id: 'alice', user_info: { name: 'A' } });
    expect(await alice.subscribe(room)).toMatchObject({ presence: { hash: { alice: { name: 'A' } } } });
    await bob.signin({ id: 'bob' });
    expect(await bob.subscribe(room, { user_id: 'other' })).toMatchObject({ presence: { ids: ['alice', 'other'] } });
  });

  it('keeps all digits of ids and infos', async () => {
    const [alice, bob] = [await connect(), await connect()];
    await alice.subscribe(
      room,
      '{"user_id":1234567890123456781,"user_info":{"account":9007199254740993,"balance":0.10}}',
    );
    bob.sendSubscribe(room, '{ "user_id": 1234567890123456782, "user_info": [ 9007199254740995 ] }');
    const { data } = await bob.next('pusher_internal:subscription_succeeded');
    expect(data).toBe(
      '{"presence":{"count":2,"ids":["1234567890123456781","1234567890123456782"],"hash":{' +
        '"1234567890123456781":{"account":9007199254740993,"balance":0.10},"1234567890123456782":[9007199254740995]}}}',
    );
    expect((await alice.next('pusher_internal:member_added')).data).toBe(
      '{"user_id":"1234567890123456782","user_info":[9007199254740995]}',
    );
    const users = await overSocket(server, signed('GET', `/channels/${room}/users`));
    expect(users.text).toBe('{"users":[{"id":"1234567890123456781"},{"id":"1234567890123456782"}]}');
    bob.close();
    expect((await alice.next('pusher_internal:member_removed')).data).toBe('{"user_id":"1234567890123456782"}');
  });

  it('keeps the digits of the info that a user signed in with', async () => {
    const alice = await connect();
    await alice.signin('{"id":"alice","user_info":{"account":9007199254740993}}');
    alice.sendSubscribe(room);
    const { data } = await alice.next('pusher_internal:subscription_succeeded');
    expect(data).toContain('"hash":{"alice":{"account":9007199254740993}}');
  });

  it('measures the info without its whitespace and escapes', async () => {
    const [alice, bob] = [await connect(), await connect()];
    const escaped = '\\u00e9'.repeat(500);
    await alice.subscribe(room, `{"user_id":1,"user_info":${' '.repeat(2000)}"${escaped}"}`);
    expect(await bob.subscribe(room, '{"user_id":2}')).toMatchObject({ presence: { hash: { 1: 'é'.repeat(500) } } });
  });

  it.each([
    ['no member at all', undefined, 'A presence channel needs channel_data or a signed-in user'],
    ['no user id', {}, 'channel_data must have a user_id'],
    ['an empty user id', { user_id: '' }, 'channel_data must have a user_id'],
    ['an object as user id', { user_id: {} }, 'channel_data must have a user_id'],
    ['a list as channel_data', [] as any, 'channel_data must be a JSON object'],
    ['a user id of 129 characters', { user_id: 'u'.repeat(129) }, 'user_id is longer than 128 characters'],
    ['a user id with NUL', { user_id: 'a\0b' }, 'user_id contains NUL or half a surrogate pair'],
    ['a user id with half a character', { user_id: 'a\ud800b' }, 'user_id contains NUL or half a surrogate pair'],
    ['a user object over 1 KB', { user_id: '1', user_info: 'x'.repeat(1023) }, 'user_info is larger than 1024 bytes'],
  ])('refuses %s', async (_what, member: any, text) => {
    const client = await connect();
    client.sendSubscribe(room, member);
    expect((await error(client)).message).toContain(text);
    expect(JSON.parse((await client.next('pusher:subscription_error')).data as string)).toMatchObject({ status: 400 });
    const users = await overSocket(server, signed('GET', `/channels/${room}/users`));
    expect(users.text).toBe('{"users":[]}');
  });

  it('admits 100 users, and further connections of each', async () => {
    const few = await startChannels({ apps: [testApp], limits: { presenceMembers: 2 } });
    const [a, b, c, again] = [
      await connect(few.port),
      await connect(few.port),
      await connect(few.port),
      await connect(few.port),
    ];
    await a.subscribe(room, { user_id: 'a' });
    await b.subscribe(room, { user_id: 'b' });
    c.sendSubscribe(room, { user_id: 'c' });
    expect((await error(c)).message).toBe(`Presence channel ${room} is full (2 members)`);
    expect(JSON.parse((await c.next('pusher:subscription_error')).data as string)).toMatchObject({
      type: 'LimitReached',
      status: 4100,
    });
    expect(await again.subscribe(room, { user_id: 'a' })).toMatchObject({ presence: { count: 2 } });
    await a.next('pusher_internal:member_added');
    expect(await a.settled('pusher_internal:member_added')).toEqual([]);
    await few.close();
  });

  it('never admits the 101st of concurrent users', async () => {
    const channel = 'presence-crowd';
    const crowd = await Promise.all(Array.from({ length: 120 }, () => SocketClient.connect(server.port)));
    crowd.forEach((client, i) => client.sendSubscribe(channel, { user_id: `u${i}` }));
    await Promise.all(crowd.map((client) => client.settled('nothing')));
    const refused = crowd.filter((client) => client.frames.some(({ event }) => event === 'pusher:error'));
    expect(refused).toHaveLength(20);
    crowd.forEach((client) => client.close());
  });
});
