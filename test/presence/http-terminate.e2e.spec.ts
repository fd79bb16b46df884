import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [testApp, { ...testApp, id: '4', key: 'other-key' }] });
});
afterAll(() => server.close());

describe.each(transports)('POST terminate_connections, %s', (_, transport: Transport) => {
  const terminate = (userId: string, body?: string) =>
    transport(server, signed('POST', `/users/${encodeURIComponent(userId)}/terminate_connections`, body));

  it('closes every connection on which the user is signed in, with 4009, and no other', async () => {
    const [first, second, present, stranger] = await Promise.all(
      Array.from({ length: 4 }, () => SocketClient.connect(server.port)),
    );
    const foreigner = await SocketClient.connect(server.port, { ...testApp, key: 'other-key' });
    for (const client of [first!, second!, foreigner]) await client.signin({ id: 'alice' });
    await present!.subscribe('presence-room', { user_id: 'alice' });
    await stranger!.signin({ id: 'bob' });

    expect(await terminate('alice', '{}')).toEqual({
      status: 200,
      contentType: 'application/json; charset=utf-8',
      text: '{}',
    });
    for (const client of [first!, second!]) expect((await client.closing()).code).toBe(4009);
    for (const client of [present!, stranger!, foreigner]) {
      expect(await client.settled('nothing')).toEqual([]);
      client.close();
    }
  });

  it.each(['nobody', 'a user / ü', 'u'.repeat(150)])('answers {} for a user who is not there: %s', async (userId) => {
    expect(await terminate(userId)).toMatchObject({ status: 200, text: '{}' });
  });

  it('closes them with 4200 to reconnect at once if the path ends with reconnect', async () => {
    const [alice, present, bob] = await Promise.all(Array.from({ length: 3 }, () => SocketClient.connect(server.port)));
    const foreigner = await SocketClient.connect(server.port, { ...testApp, key: 'other-key' });
    await alice!.signin({ id: 'alice' });
    await present!.signin({ id: 'alice' });
    await bob!.signin({ id: 'alice/reconnect' });
    await foreigner.signin({ id: 'alice' });
    const answer = await transport(server, signed('POST', '/users/alice/reconnect'));
    expect([answer.status, answer.text]).toEqual([200, '{}']);
    for (const client of [alice!, present!])
      expect(await client.closing()).toEqual({ code: 4200, reason: 'The application asks to reconnect' });
    for (const client of [bob!, foreigner]) {
      expect(await client.settled('nothing')).toEqual([]);
      client.close();
    }
  });

  it.each(['terminate_connections', 'reconnect'])('refuses a user id with NUL: %s', async (order) => {
    const answer = await transport(server, signed('POST', `/users/a%00b/${order}`));
    expect(answer).toMatchObject({ status: 400, text: "Invalid user id: 'a\0b'\n" });
  });

  it('answers 400 to a body that is not an object and 404 to another path', async () => {
    expect(await terminate('alice', '7')).toMatchObject({ status: 400 });
    const other = await transport(server, signed('POST', '/users/alice/other'));
    expect(other).toMatchObject({ status: 404, contentType: 'text/plain; charset=utf-8' });
  });
});
