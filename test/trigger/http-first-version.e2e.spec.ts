import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels();
});
afterAll(() => server.close());

describe.each(transports)('POST channels/<channel>/events?name=…, %s', (_, transport: Transport) => {
  const trigger = (query: Record<string, string>, body?: string, channel = 'a') =>
    transport(server, signed('POST', `/channels/${channel}/events`, body, { query }));

  it.each(['{"some":"data"}', '"text"', 'no JSON at all, ü', '[1, 12345678901234567890]'])(
    'triggers with the exact body as data: %s',
    async (body) => {
      const [client, excluded] = [await SocketClient.connect(server.port), await SocketClient.connect(server.port)];
      for (const each of [client, excluded]) await each.subscribe('a');
      const answer = await trigger({ name: 'e', socket_id: excluded.socketId }, body);
      expect(answer).toMatchObject({ status: 202, text: '{}' });
      expect(await client.next('e')).toEqual({ event: 'e', channel: 'a', data: body });
      expect(await excluded.settled('e')).toEqual([]);
      for (const each of [client, excluded]) each.close();
    },
  );

  it.each([
    ['without a name', {}, 'd', 'a', 400, 'Missing required parameter: name\n'],
    ['without data', { name: 'e' }, undefined, 'a', 400, 'Missing required parameter: data\n'],
    ['on what is no channel', { name: 'e' }, 'd', 'a%20b', 400, "Invalid channel name: 'a b'\n"],
    ['with too much data', { name: 'e' }, 'x'.repeat(10_241), 'a', 413, expect.stringContaining('10240 bytes')],
    ['an invalid socket id', { name: 'e', socket_id: 'x' }, 'd', 'a', 400, "Invalid socket id: 'x'\n"],
  ])('is refused %s', async (__, query, body, channel, status, text) => {
    expect(await trigger(query, body, channel)).toMatchObject({ status, text });
  });

  it('requires the usual signature, and no other path below a channel accepts a POST', async () => {
    const wrong = signed('POST', '/channels/a/events', 'd', { query: { name: 'e' }, signature: 'x' });
    expect(await transport(server, wrong)).toMatchObject({ status: 401 });
    expect(await transport(server, signed('POST', '/channels/a', '{}'))).toMatchObject({ status: 404 });
  });
});
