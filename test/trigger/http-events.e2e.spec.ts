import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Signing, signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, subscriptionCount: true }] });
});
afterAll(() => server.close());

const event = { name: 'my-event', channels: ['project-3'], data: '{"some":"data"}' };
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const bytes = (count: number) => 'é'.repeat(count / 2);
const names = (count: number) => Array.from({ length: count }, (_, i) => `c-${i}`);
const tooLarge =
  'The data content of this event exceeds the allowed maximum (10240 bytes). ' +
  'See https://pusher.com/docs/channels/server_api/http-api#publishing-events for more info\n';

describe.each(transports)('POST events, %s', (_, transport: Transport) => {
  const trigger = (body: unknown, signing?: Signing) => transport(server, signed('POST', '/events', body, signing));

  it.each([
    ['JSON', () => signed('POST', '/events', latin1('{"name":"e","channel":"c","data":"caf\u00e9"}'))],
    [
      'a batch',
      () => signed('POST', '/batch_events', latin1('{"batch":[{"name":"caf\u00e9","channel":"c","data":"d"}]}')),
    ],
    ['a text', () => signed('POST', '/channels/c/events', latin1('caf\u00e9'), { query: { name: 'e' } })],
  ])('refuses %s in another encoding than UTF-8 instead of altering it', async (_what, request) => {
    expect(await transport(server, request())).toEqual({
      status: 400,
      contentType: 'text/plain; charset=utf-8',
      text: 'The request body is not UTF-8\n',
    });
  });

  it('accepts the character that stands for unreadable ones', async () => {
    expect(await trigger({ ...event, data: '\ufffd' })).toMatchObject({ status: 200 });
  });

  it.each([
    ['data that is not a text', { ...event, data: { some: 'data' } }],
    ['the channel of a user', { ...event, channels: ['#server-to-user-7'] }],
    ['a name that only looks reserved', { ...event, name: 'pusher-event' }],
    ['fields that it does not know', { ...event, extra: { deep: [1] }, __proto__: { x: 1 } }],
  ])('accepts %s', async (_what, body) => {
    expect(await trigger(body)).toEqual({ status: 200, contentType: 'application/json; charset=utf-8', text: '{}' });
  });

  it.each([
    [400, 'Missing required parameter: name\n', { ...event, name: undefined }],
    [400, 'Missing required parameter: data\n', { ...event, data: undefined }],
    [400, 'Missing required parameter: channels\n', { ...event, channels: undefined }],
    [400, 'channels must be an array', { ...event, channels: [] }],
    [400, 'channels must be an array', { ...event, channels: { length: 1, 0: 'a' } }],
    [400, 'Too many channels (101 > 100)\n', { ...event, channels: names(101) }],
    [400, "Invalid channel name: 'a b'\n", { ...event, channels: ['ok', 'a b'] }],
    [400, "Invalid channel name: '7'\n", { ...event, channels: [7] }],
    [400, 'Invalid channel name', { ...event, channels: ['c'.repeat(201)] }],
    [400, 'name must be a text', { ...event, name: 7 }],
    [400, 'name must be a text', { ...event, name: '' }],
    [400, 'Event name is longer than 200 characters\n', { ...event, name: 'n'.repeat(201) }],
    [400, "Event name 'pusher:x' is reserved", { ...event, name: 'pusher:x' }],
    [400, "Event name 'pusher_internal:x' is reserved", { ...event, name: 'pusher_internal:x' }],
    [400, "Invalid socket id: 'x'\n", { ...event, socket_id: 'x' }],
    [400, 'Invalid socket id', { ...event, socket_id: { toString: 1 } }],
    [400, 'info should be a comma separated list of attributes', { ...event, info: 'user_count,nothing' }],
    [400, 'info should be a comma separated list of attributes', { ...event, info: 7 }],
    [400, 'encrypted', { ...event, channels: ['a', 'private-encrypted-a'] }],
    [413, tooLarge, { ...event, data: 'a'.repeat(10_241) }],
    [413, tooLarge, { ...event, data: bytes(10_242) }],
    [400, 'The request body is not a JSON object\n', '[]'],
    [400, 'The request body is not a JSON object\n', '"text"'],
    [400, 'The request body is not a JSON object\n', '{"name":'],
    [400, 'The request body is not a JSON object\n', '['.repeat(100_000)],
    [400, 'The request body is not a JSON object\n', Buffer.from([0xff, 0xfe, 0x00])],
    [413, 'The request body exceeds the allowed maximum (1048576 bytes)\n', 'x'.repeat(1_048_577)],
  ])('answers %i %j', async (status, text, body) => {
    const answer = await trigger(body);
    expect(answer).toMatchObject({ status, contentType: 'text/plain; charset=utf-8' });
    expect(text.endsWith('\n') ? answer.text : answer.text.slice(0, -1)).toContain(text);
    expect(answer.text).toMatch(/[^\n]\n$/);
  });

  it('takes parameters from the query, arrays included', async () => {
    const query = { name: 'e', data: 'd', 'channels[]': 'a' };
    expect(await trigger(undefined, { query })).toMatchObject({ status: 200, text: '{}' });
    expect(await trigger(undefined, { query: { name: 'e', data: 'd', channel: 'a b' } })).toMatchObject({
      status: 400,
    });
  });

  it.each([
    ['{ "id": 1234567890123456789, "s": "}" }', '{"id":1234567890123456789,"s":"}"}'],
    ['[1.50,-12345678901234567890]', '[1.50,-12345678901234567890]'],
    ['12345678901234567890', '12345678901234567890'],
    ['"a 12345678901234567890"', 'a 12345678901234567890'],
    ['{ "a": 1.0, "b": 1e400, "c": -0 }', '{"a":1.0,"b":1e400,"c":-0}'],
    ['[1E5,2.5e-3, 10]', '[1E5,2.5e-3,10]'],
    ['1e400', '1e400'],
  ])('keeps the digits of numbers if data is %s', async (data, text) => {
    const client = await SocketClient.connect(server.port);
    await client.subscribe('exact');
    expect(await trigger(`{"name":"e","data":${data},"channel":"exact"}`)).toMatchObject({ status: 200 });
    expect((await client.next('e')).data).toBe(text);
    client.close();
  });

  it.each(['text/plain', 'application/octet-stream', 'no-type', 'application/x-www-form-urlencoded'])(
    'reads a body of content type %s',
    async (type) => {
      expect(await trigger(event, { headers: { 'content-type': type } })).toMatchObject({ status: 200, text: '{}' });
    },
  );

  it('sends an event once to a channel that is named twice', async () => {
    const client = await SocketClient.connect(server.port);
    await client.subscribe('twice');
    await trigger({ ...event, channels: ['twice', 'twice'] });
    await client.next('my-event');
    expect(await client.settled('my-event')).toEqual([]);
    client.close();
  });

  it('answers the requested counts, and omits attributes that a channel lacks', async () => {
    const client = await SocketClient.connect(server.port);
    await client.subscribe('counted');
    await client.subscribe('presence-counted', { user_id: 'alice' });
    const channels = ['counted', 'presence-counted', 'empty', 'counted'];
    const { status, text } = await trigger({ ...event, channels, info: 'user_count,subscription_count' });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      channels: {
        counted: { subscription_count: 1 },
        'presence-counted': { user_count: 1, subscription_count: 1 },
        empty: { subscription_count: 0 },
      },
    });
    client.close();
  });
});
