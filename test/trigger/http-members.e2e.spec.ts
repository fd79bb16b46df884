import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MembersService, NodesService } from 'rookery/channels';
import { MemoryPresenceRepository, ThisNode } from 'rookery/presence';
import { NodeRpc } from '../../libs/channels/src/broker/node-rpc.js';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const other = { id: '4', key: 'other-key', secret: 'other-secret' };
let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [testApp, other] });
});
afterAll(() => server.close());

const connect = (app = testApp) => SocketClient.connect(server.port, app);
const newRoom = (kind = 'presence') => `${kind}-${crypto.randomUUID()}`;
const dataOf = ({ data }: { readonly data?: string }): unknown => JSON.parse(data ?? '');

describe.each(transports)("updating a member's info, %s", (_, transport: Transport) => {
  const update = (channel: string, userId: string, body: unknown) =>
    transport(server, signed('PUT', `/channels/${channel}/users/${encodeURIComponent(userId)}`, body));
  const usersOf = async (channel: string) =>
    (await transport(server, signed('GET', `/channels/${channel}/users`, undefined, { query: { info: 'user_info' } })))
      .text;

  it('tells all subscribers, the member included, and shows it to those that come later', async () => {
    const [ann, ben] = [await connect(), await connect()];
    const room = newRoom();
    await ann.subscribe(room, { user_id: 'ann/1', user_info: { name: 'Ann' } });
    await ben.subscribe(room, { user_id: 'ben' });
    const body = '{ "user_info": { "name": "Ann", "account": 9007199254740993 } }';
    expect(await update(room, 'ann/1', body)).toMatchObject({ status: 200, text: '{}' });
    const data = '{"user_id":"ann/1","user_info":{"name":"Ann","account":9007199254740993}}';
    await ann.next('pusher_internal:member_added');
    for (const each of [ann, ben]) {
      expect(await each.next('rookery:member_updated')).toEqual({
        event: 'rookery:member_updated',
        channel: room,
        data,
      });
      expect(await each.next('pusher_internal:member_added')).toMatchObject({ channel: room, data });
      expect(await each.settled('pusher_internal:member_removed')).toEqual([]);
    }
    const carol = await connect();
    const { presence } = await carol.subscribe(room, { user_id: 'carol' });
    expect(presence).toMatchObject({ count: 3, ids: ['ann/1', 'ben', 'carol'] });
    expect(presence.hash['ann/1']).toMatchObject({ name: 'Ann' });
    expect(await carol.settled('pusher_internal:member_added')).toEqual([]);
    expect(await usersOf(room)).toContain('"user_info":{"name":"Ann","account":9007199254740993}');
  });

  it('lasts while the member stays, on whatever connection, and ends with their last', async () => {
    const [first, second] = [await connect(), await connect()];
    const room = newRoom();
    await first.subscribe(room, { user_id: 'ann', user_info: 1 });
    await update(room, 'ann', { user_info: 2 });
    await second.subscribe(room, { user_id: 'ann', user_info: 1 });
    expect(await usersOf(room)).toBe('{"users":[{"id":"ann","user_info":2}]}');
    for (const each of [first, second]) {
      each.send({ event: 'pusher:unsubscribe', data: { channel: room } });
      await each.settled('pusher:error');
    }
    await second.subscribe(room, { user_id: 'ann', user_info: 1 });
    expect(await usersOf(room)).toBe('{"users":[{"id":"ann","user_info":1}]}');
  });

  it('may take the info away', async () => {
    const ann = await connect();
    const room = newRoom();
    await ann.subscribe(room, { user_id: 'ann', user_info: 1 });
    await update(room, 'ann', { user_info: null });
    expect(await usersOf(room)).toBe('{"users":[{"id":"ann"}]}');
  });

  it('says nothing twice that is as it was', async () => {
    const ann = await connect();
    const room = newRoom();
    await ann.subscribe(room, { user_id: 'ann', user_info: 1 });
    for (const info of [2, 2]) await update(room, 'ann', { user_info: info });
    await ann.next('rookery:member_updated');
    await ann.next('rookery:member_updated');
    await ann.next('pusher_internal:member_added');
    expect(await ann.settled('pusher_internal:member_added')).toEqual([]);
  });

  it.each([
    ['/channels/presence-a/users/nobody', { user_info: 1 }, 404, "'nobody' is not on 'presence-a'\n"],
    ['/channels/private-a/users/ann', { user_info: 1 }, 400, 'Only members of presence channels have a user_info\n'],
    ['/channels/presence-a/users/ann', {}, 400, 'Missing required parameter: user_info\n'],
    ['/channels/presence-a/users/ann', undefined, 400, 'Missing required parameter: user_info\n'],
    ['/channels/presence-a/users/ann', { user_info: 'x'.repeat(1023) }, 413, 'user_info is larger than 1024 bytes\n'],
    ['/channels/presence-a/users/', { user_info: 1 }, 404, 'Not found\n'],
  ])('PUT %s %j is %i', async (path, body, status, text) => {
    const answer = await transport(server, signed('PUT', path, body));
    expect(answer).toMatchObject({ status, text });
  });

  it('keeps to the rate of triggers', async () => {
    const slow = await startChannels({ apps: [{ ...testApp, limits: { triggersPerSecond: 1 } }] });
    const statuses = [];
    for (const info of [1, 2]) {
      const request = signed('PUT', '/channels/presence-a/users/ann', { user_info: info });
      statuses.push((await transport(slow, request)).status);
    }
    expect(statuses).toEqual([404, 429]);
    await slow.close();
  });
});

it('an application updates a member by its service', async () => {
  const ann = await connect();
  const room = newRoom();
  await ann.subscribe(room, { user_id: 'ann' });
  const members = server.app.get(MembersService);
  await members.update(testApp.id, room, 'ann', { isAway: true });
  expect(dataOf(await ann.next('rookery:member_updated'))).toEqual({ user_id: 'ann', user_info: { isAway: true } });
  await expect(members.update(testApp.id, room, 'ben', 1)).rejects.toThrow("'ben' is not on");
  await expect(members.update('unknown', room, 'ann', 1)).rejects.toThrow('no app with the id "unknown"');
  await expect(members.update(testApp.id, room, 'ann', undefined)).rejects.toThrow('cannot be written as JSON');
});

it('subscribers learn of an update by another process whose messages were lost', async () => {
  const ledger = new MemoryPresenceRepository();
  const here = await startChannels({ apps: [testApp] }, undefined, { presenceRepository: { useValue: ledger } });
  const [ann, ben] = [await SocketClient.connect(here.port), await SocketClient.connect(here.port)];
  for (const [userId, client] of Object.entries({ ann, ben }))
    await client.subscribe('presence-a', { user_id: userId, user_info: 1 });
  ledger.update({ scope: testApp.id, name: 'presence-a' }, { userId: 'ann', userInfoJson: '2' });
  here.app.get(NodesService).recheckAll();
  await here.app.get(NodesService).announceMissed();
  expect(dataOf(await ben.next('pusher_internal:member_added'))).toEqual({ user_id: 'ann', user_info: 2 });
  expect(await ben.settled('pusher_internal:member_added')).toEqual([]);
  await here.close();
});

it('a process that was taken for dead brings its members back with their latest info', async () => {
  const ledger = new MemoryPresenceRepository();
  const paused = await startChannels({ apps: [testApp] }, undefined, { presenceRepository: { useValue: ledger } });
  const ann = await SocketClient.connect(paused.port);
  await ann.subscribe('presence-a', { user_id: 'ann', user_info: 1 });
  const members = paused.app.get(MembersService);
  for (const info of [2, 3]) await members.update(testApp.id, 'presence-a', 'ann', info);
  await ann.next('rookery:member_updated');
  ledger.takeOut(paused.app.get(ThisNode).id, 'heir');
  await paused.app.get(NodesService).announce();
  const room = { scope: testApp.id, name: 'presence-a' };
  expect(ledger.roster(room).members).toEqual([
    { userId: 'ann', userInfoJson: '3', since: expect.any(Number) as number },
  ]);
  await paused.close();
});

it('an update that reaches a process late changes no member who has left and returned', async () => {
  const ledger = new MemoryPresenceRepository();
  const late = await startChannels({ apps: [testApp] }, undefined, { presenceRepository: { useValue: ledger } });
  const ann = await SocketClient.connect(late.port);
  await ann.subscribe('presence-a', { user_id: 'ann', user_info: 1 });
  const askAll = vi.spyOn(late.app.get(NodeRpc), 'askAll');
  await late.app.get(MembersService).update(testApp.id, 'presence-a', 'ann', 2);
  ann.send({ event: 'pusher:unsubscribe', data: { channel: 'presence-a' } });
  await ann.subscribe('presence-a', { user_id: 'ann', user_info: 1 });
  await late.app.get(NodeRpc).askAll(...askAll.mock.calls[0]!);
  ledger.takeOut(late.app.get(ThisNode).id, 'heir');
  await late.app.get(NodesService).announce();
  const room = { scope: testApp.id, name: 'presence-a' };
  expect(ledger.roster(room).members).toEqual([
    { userId: 'ann', userInfoJson: '1', since: expect.any(Number) as number },
  ]);
  await late.close();
});

describe.each(transports)('removing a user from a channel, %s', (_, transport: Transport) => {
  const remove = (channel: string, userId: string) =>
    transport(server, signed('DELETE', `/channels/${channel}/users/${encodeURIComponent(userId)}`));

  it('ends all their subscriptions, and tells them and the others', async () => {
    const [laptop, phone, ben] = [await connect(), await connect(), await connect()];
    const room = newRoom();
    for (const each of [laptop, phone]) await each.subscribe(room, { user_id: 'ann/1' });
    await ben.subscribe(room, { user_id: 'ben' });
    expect(await remove(room, 'ann/1')).toMatchObject({ status: 200, text: '{}' });
    for (const each of [laptop, phone])
      expect(dataOf(await each.next('pusher:subscription_error'))).toEqual({
        type: 'AuthError',
        error: `Access to channel ${room} was taken back`,
        status: 403,
      });
    expect(dataOf(await ben.next('pusher_internal:member_removed'))).toEqual({ user_id: 'ann/1' });
    expect(await ben.settled('pusher_internal:member_removed')).toEqual([]);
    const { text } = await transport(server, signed('GET', `/channels/${room}/users`));
    expect(text).toBe('{"users":[{"id":"ben"}]}');
  });

  it('refuses the tokens of these connections, and accepts those of new ones', async () => {
    const before = await connect();
    const room = newRoom();
    await before.subscribe(room, { user_id: 'ann' });
    await remove(room, 'ann');
    await before.next('pusher:subscription_error');
    before.sendSubscribe(room, { user_id: 'ann' });
    expect(dataOf(await before.next('pusher:subscription_error'))).toMatchObject({ status: 403 });
    const after = await connect();
    expect(await after.subscribe(room, { user_id: 'ann' })).toMatchObject({ presence: { ids: ['ann'] } });
  });

  it('removes signed-in users from private channels, and leaves their other channels alone', async () => {
    const ann = await connect();
    await ann.signin({ id: 'ann' });
    const [left, kept] = [newRoom('private'), newRoom('private')];
    for (const each of [left, kept]) await ann.subscribe(each);
    await remove(left, 'ann');
    expect(await ann.next('pusher:subscription_error')).toMatchObject({ channel: left });
    await transport(server, signed('POST', '/events', { name: 'note', channels: [left, kept], data: '' }));
    expect(await ann.next('note')).toMatchObject({ channel: kept });
    expect(await ann.settled('note')).toEqual([]);
  });

  it('leaves users of other apps, and others with a longer name, where they are', async () => {
    const room = newRoom();
    const [stranger, annette] = [await connect(other), await connect()];
    await stranger.subscribe(room, { user_id: 'ann' });
    await annette.subscribe(room, { user_id: 'annette' });
    expect(await remove(room, 'ann')).toMatchObject({ status: 200, text: '{}' });
    for (const each of [stranger, annette]) expect(await each.settled('pusher:subscription_error')).toEqual([]);
  });

  it.each([
    ['/channels/news/users/ann', 400, 'Users can only be removed from private and presence channels\n'],
    ['/channels/presence-a%20b/users/ann', 400, "Invalid channel name: 'presence-a b'\n"],
    [`/channels/presence-a/users/${'x'.repeat(201)}`, 400, 'Invalid user id: '],
    ['/channels/presence-a/users/', 404, 'Not found\n'],
    ['/channels/presence-a', 404, 'Not found\n'],
  ])('DELETE %s is %i', async (path, status, text) => {
    const answer = await transport(server, signed('DELETE', path));
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it('needs a signature for this method', async () => {
    const { url } = signed('GET', '/channels/presence-a/users/ann');
    expect((await transport(server, { method: 'DELETE', url })).status).toBe(401);
  });
});
