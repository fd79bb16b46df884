import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

let server: ChannelsServer;
let client: SocketClient;
beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, subscriptionCount: true }] });
  client = await SocketClient.connect(server.port);
  await client.subscribe('a');
  await client.subscribe('presence-a', { user_id: 1 });
});
afterAll(() => server.close());

const item = { name: 'e', channel: 'a', data: 'd' };

describe.each(transports)('POST batch_events, %s', (_, transport: Transport) => {
  const post = (body: unknown) => transport(server, signed('POST', '/batch_events', body));

  it('keeps the digits of long numbers if data is not a text', async () => {
    const items = ['{"a":[ 1 ]}', '"b"', '{"id":12345678901234567890}', '[12345678901234567890]', '{"a":1.0}'].map(
      (data) => `{"name":"exact","channel":"a","data":${data}}`,
    );
    expect(await post(`{"batch":[${items.join(' , ')} ]}`)).toMatchObject({ status: 200, text: '{}' });
    const heard = () => client.frames.filter(({ event }) => event === 'exact').map(({ data }) => data);
    await expect
      .poll(heard)
      .toEqual(['{"a":[1]}', 'b', '{"id":12345678901234567890}', '[12345678901234567890]', '{"a":1.0}']);
    client.frames.length = 0;
  });

  it('accepts no events at all', async () => {
    expect(await post({ batch: [] })).toMatchObject({ status: 200, text: '{}' });
  });

  it('answers attributes aligned with the events if one requests them', async () => {
    const info = 'user_count,subscription_count';
    const { text } = await post({ batch: [{ ...item, info }, item, { ...item, channel: 'presence-a', info }] });
    expect(JSON.parse(text)).toEqual({
      batch: [{ subscription_count: 1 }, {}, { user_count: 1, subscription_count: 1 }],
    });
  });

  it.each([
    [400, 'Missing required parameter: batch\n', {}],
    [400, 'batch must be an array of events\n', { batch: {} }],
    [400, 'Batch too large (11 > 10)\n', { batch: Array.from({ length: 11 }, () => item) }],
    [400, 'Missing required parameter: channel\n', { batch: [{ name: 'e', data: 'd' }] }],
    [400, 'Missing required parameter: name', { batch: [item, { channel: 'a', data: 'd' }] }],
    [400, 'event 2 of the batch', { batch: [item, { channel: 'a', data: 'd' }] }],
    [400, "Invalid channel name: 'a b'", { batch: [{ ...item, channel: 'a b' }] }],
    [400, 'each event of the batch must be an object', { batch: [7] }],
    [400, 'Invalid socket id', { batch: [{ ...item, socket_id: '7' }] }],
    [413, 'The data content of this event exceeds', { batch: [item, { ...item, data: 'a'.repeat(10_241) }] }],
  ])('answers %i %j, and sends none of the events', async (status, text, body) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, contentType: 'text/plain; charset=utf-8' });
    expect(answer.text).toContain(text);
  });
});
