import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
