import {
  anything,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  json,
  jsonValue,
  oneof,
  option,
  record,
  string,
  stringify,
  tuple,
  uint8Array,
} from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { clientFrame, RawClient } from '../support/raw-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const otherApp = { id: '4', key: 'other-key', secret: 'other-secret' };
const channels = ['news', 'private-room', 'presence-room', 'cache-news'];

let server: ChannelsServer;
let bystanders: SocketClient[];
const clients: SocketClient[] = [];

beforeAll(async () => {
  const settings = { clientEvents: true, subscriptionCount: false };
  server = await startChannels({
    apps: [
      { ...testApp, ...settings },
      { ...otherApp, ...settings },
    ],
    limits: { refusalsPerSecond: 1_000_000 },
  });
});
afterAll(() => server.close());

/** One of the same app and one of another, on channels of the same names: whatever happens, they hear nothing of it. */
beforeEach(async () => {
  bystanders = [await connect(), await connect(otherApp)];
  for (const bystander of bystanders) {
    for (const channel of channels)
      await bystander.subscribe(channel, channel.startsWith('presence-') ? { user_id: 'bystander' } : undefined);
    await bystander.next('pusher:cache_miss');
  }
});
afterEach(async () => {
  for (const bystander of bystanders) {
    await bystander.settled('');
    expect(bystander.frames).toEqual([]);
    expect(bystander.closed).toBeUndefined();
  }
  for (const client of clients.splice(0)) client.close();
});

async function connect(app = testApp): Promise<SocketClient> {
  const client = await SocketClient.connect(server.port, app);
  clients.push(client);
  return client;
}

const subscribe = (data: unknown) => ({ event: 'pusher:subscribe', data });

describe('a frame that is refused with an error', () => {
  it.each([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['half of JSON', '{"event":"pusher:subscribe"'],
    ['a list', '[]'],
    ['a number', '7'],
    ['null', 'null'],
    ['no event', {}],
    ['an event that is a number', { event: 7 }],
    ['an event that is null', { event: null }],
    ['an event that is an object', { event: { toString: 'pusher:ping' } }],
    ['an unknown event', { event: 'pusher:unknown', data: {} }],
    ['an event of the server', { event: 'pusher_internal:subscription_succeeded', channel: 'news', data: '{}' }],
    ['an event of the prototype', { event: 'constructor', data: {} }],
    ['an event named __proto__', { event: '__proto__', data: {} }],
    ['a subscribe without data', { event: 'pusher:subscribe' }],
    ['a subscribe whose data is null', subscribe(null)],
    ['a subscribe whose data is a list', subscribe([])],
    ['a subscribe whose data is text', subscribe('news')],
    ['a subscribe whose data is the JSON of text', subscribe('"news"')],
    ['a subscribe without channel', subscribe({})],
    ['a subscribe to a number', subscribe({ channel: 7 })],
    ['a subscribe to a list', subscribe({ channel: ['news'] })],
    ['a subscribe to nothing', subscribe({ channel: '' })],
    ['a subscribe to spaces', subscribe({ channel: '  ' })],
    ['a subscribe to a name with a line break', subscribe({ channel: 'news\n' })],
    ['a subscribe to a name with a zero', subscribe({ channel: 'news\0' })],
    ['a subscribe to a long name', subscribe({ channel: 'x'.repeat(201) })],
    ['a subscribe to a reserved name', subscribe({ channel: '#online' })],
    ['a subscribe to another user', subscribe({ channel: '#server-to-user-bystander' })],
    ['a private subscribe without auth', subscribe({ channel: 'private-room' })],
    ['a private subscribe with a number', subscribe({ channel: 'private-room', auth: 7 })],
    ['a private subscribe with an object', subscribe({ channel: 'private-room', auth: { key: testApp.key } })],
    ['a private subscribe with a short auth', subscribe({ channel: 'private-room', auth: ':' })],
    ['a private subscribe with a wrong auth', subscribe({ channel: 'private-room', auth: `${testApp.key}:ffff` })],
    ['a presence subscribe with a number', subscribe({ channel: 'presence-room', auth: 'a:b', channel_data: 7 })],
    ['a signin without data', { event: 'pusher:signin' }],
    ['a signin with numbers', { event: 'pusher:signin', data: { auth: 1, user_data: 2 } }],
    ['a signin with a wrong auth', { event: 'pusher:signin', data: { auth: 'a:b', user_data: '{"id":"1"}' } }],
    ['an unsubscribe without channel', { event: 'pusher:unsubscribe', data: {} }],
    ['an unsubscribe of the prototype', { event: 'pusher:unsubscribe', data: { channel: '__proto__' } }],
    ['a client event without channel', { event: 'client-x', data: {} }],
    ['a client event without data', { event: 'client-x', channel: 'private-room' }],
    ['a client event on a list', { event: 'client-x', channel: ['private-room'], data: {} }],
    ['a client event on a channel of others', { event: 'client-x', channel: 'private-room', data: {} }],
    ['a client event on a public channel', { event: 'client-x', channel: 'news', data: {} }],
    ['deep JSON', `${'['.repeat(60_000)}${']'.repeat(60_000)}`],
    ['deep data', `{"event":"pusher:subscribe","data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`],
    ['deep client data', `{"event":"client-x","channel":"news","data":${'['.repeat(60_000)}${']'.repeat(60_000)}}`],
  ])('is %s', async (_, frame) => {
    const mallory = await connect();
    mallory.send(frame);
    const { data } = await mallory.next('pusher:error');
    expect(data).toEqual({ code: null, message: expect.stringMatching(/.+/) as string });
    expect((data as { message: string }).message).not.toBe('Internal server error');
    // The connection goes on as if nothing had been.
    expect(await mallory.subscribe('news')).toEqual({});
  });

  it.each([
    ['user data', '{"id":{}}'],
    ['user data', '{"id":""}'],
    ['user data', `{"id":"${'a b'.repeat(43)}"}`],
    ['user data', '[]'],
    ['user data', '{"__proto__":{"id":"admin"}}'],
    ['a watchlist', '{"id":"1","watchlist":{"length":1e9}}'],
    ['a watchlist', '{"id":"1","watchlist":[1]}'],
  ])('has a valid signature over an invalid %s: %s', async (_, userData) => {
    const mallory = await connect();
    const auth = mallory.sign(`${mallory.socketId}::user::${userData}`);
    mallory.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
    await mallory.next('pusher:error');
    expect(await mallory.settled('pusher:signin_success')).toEqual([]);
  });

  const deep = `{"user_id":"1","user_info":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  it.each([
    '7',
    '"text"',
    '[]',
    '{}',
    '{"user_id":null}',
    '{"user_id":{}}',
    '{"__proto__":{"user_id":"1"}}',
    '{',
    deep,
  ])('has a valid signature over invalid channel data: %.40s', async (channelData) => {
    const mallory = await connect();
    const auth = mallory.sign(`${mallory.socketId}:presence-room:${channelData}`);
    mallory.send(subscribe({ channel: 'presence-room', auth, channel_data: channelData }));
    const { data } = await mallory.next('pusher:error');
    expect((data as { message: string }).message).toMatch(/channel_data|user_id|user_info/);
    expect(await mallory.settled('pusher_internal:subscription_succeeded')).toEqual([]);
  });
});

describe('a frame that ends its connection', () => {
  it.each([
    ['is binary', clientFrame(2, 'bytes'), 1003],
    ['is not UTF-8', clientFrame(1, Buffer.from([0xc3, 0x28])), 1007],
    ['is larger than a message may be', clientFrame(1, ' '.repeat(131_073)), 1009],
    [
      'says that it is larger than memory',
      Buffer.from([0x81, 0xff, 0x7f, ...Array.from({ length: 11 }, () => 0xff)]),
      1009,
    ],
    ['is not masked', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['has reserved bits', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['has an unknown opcode', clientFrame(5, ''), 1002],
    ['continues nothing', clientFrame(0, '{}'), 1002],
    ['begins a message within another', Buffer.concat([clientFrame(1, '{', false), clientFrame(1, '}')]), 1002],
    ['is a ping in fragments', clientFrame(9, 'x', false), 1002],
    ['is a ping that is too long', clientFrame(9, 'x'.repeat(126)), 1002],
    ['closes with half a code', clientFrame(8, 'x'), 1002],
    ['closes with a code that is never sent', clientFrame(8, Buffer.from([1005 >> 8, 1005 & 255])), 1002],
    ['closes for a reason that is not UTF-8', clientFrame(8, Buffer.from([0x03, 0xe8, 0xc3, 0x28])), 1007],
    ['begins a text that is not UTF-8', clientFrame(1, Buffer.from([0xf4, 0x90]), false), 1007],
  ])('%s', async (_, bytes, code) => {
    const mallory = await RawClient.upgrade(server.port);
    mallory.write(bytes);
    await until(() => mallory.closeCode !== undefined, 'the server closes');
    expect(mallory.closeCode).toBe(code);
    await mallory.ended();
  });

  it('sends endless fragments', async () => {
    const mallory = await RawClient.upgrade(server.port);
    mallory.write(clientFrame(1, ' '.repeat(1000), false));
    for (let fragment = 0; fragment < 200; fragment += 1) mallory.write(clientFrame(0, ' '.repeat(1000), false));
    await until(() => mallory.closeCode !== undefined, 'the server closes');
    expect(mallory.closeCode).toBe(1009);
    await mallory.ended();
  });
});

it("gives a client event the id of its sender, and ignores the frame's", async () => {
  const [alice, mallory] = [await connect(), await connect()];
  await alice.subscribe('presence-other', { user_id: 'alice' });
  await mallory.subscribe('presence-other', { user_id: 'mallory' });
  mallory.send(
    '{"event":"client-x","channel":"presence-other","data":{"a":1},"user_id":"admin","socket_id":"1.1",' +
      '"__proto__":{"user_id":"admin"},"constructor":{"prototype":{"user_id":"admin"}}}',
  );
  expect(await alice.next('client-x')).toEqual({
    event: 'client-x',
    channel: 'presence-other',
    data: '{"a":1}',
    user_id: 'mallory',
  });
  expect(({} as { user_id?: string }).user_id).toBeUndefined();
});

describe('the server survives, without effect on other clients:', () => {
  const name = oneof(constantFrom(...channels, '__proto__', 'constructor', '#server-to-user-1', ''), string());
  const value = oneof(jsonValue(), name);
  const fields = record(
    { channel: value, auth: oneof(constantFrom(`${testApp.key}:`, ':'), value), channel_data: value, user_data: value },
    { requiredKeys: [] },
  );
  const event = oneof(
    constantFrom('pusher:subscribe', 'pusher:unsubscribe', 'pusher:signin', 'pusher:pong', 'client-x', 'client-'),
    value,
  );
  const almostRight = record(
    {
      event,
      channel: value,
      data: oneof(
        fields,
        fields.map((data) => JSON.stringify(data)),
        value,
      ),
    },
    { requiredKeys: [] },
  ).map((frame) => JSON.stringify(frame));
  const texts = array(
    oneof(
      almostRight,
      json(),
      string({ unit: 'binary' }),
      anything().map((value) => stringify(value)),
    ),
    { minLength: 1 },
  );

  it('any text', async () => {
    const mallory = await connect();
    await assert(
      asyncProperty(texts, async (sent) => {
        for (const text of sent) mallory.send(text);
        const errors = await mallory.settled('pusher:error');
        expect(mallory.closed).toBeUndefined();
        expect(errors.map(({ data }) => data.message as string)).not.toContain('Internal server error');
        // What it could subscribe to without a secret was public.
        const names = mallory.frames.map(({ channel }) => channel).filter((channel) => channel !== undefined);
        expect(
          names.filter((channel) => /^(private-|presence-|#)/.test(channel) && !isRefused(mallory, channel)),
        ).toEqual([]);
        mallory.frames.length = 0;
      }),
      { numRuns: 300 },
    );
  });

  it('any bytes on an open socket, in any pieces', async () => {
    const bytes = oneof(
      uint8Array({ maxLength: 2000 }),
      tuple(constantFrom(0, 1, 2, 8, 9, 10), uint8Array({ maxLength: 300 })).map(([opcode, payload]) =>
        clientFrame(opcode, payload),
      ),
      texts.map((all) => Buffer.concat(all.map((text) => clientFrame(1, text)))),
    );
    await assert(
      asyncProperty(array(bytes, { maxLength: 5 }), option(integer({ min: 1, max: 50 })), async (parts, size) => {
        const mallory = await RawClient.upgrade(server.port);
        for (const part of cut(Buffer.concat(parts), size ?? Infinity)) mallory.write(part);
        await mallory.ended();
      }),
      { numRuns: 150 },
    );
  });

  it('any bytes in place of a request', async () => {
    const start = constantFrom('', 'GET ', 'GET /app/', `GET /app/${testApp.key} HTTP/1.1\r\nUpgrade: websocket\r\n`);
    await assert(
      asyncProperty(start, uint8Array({ maxLength: 500 }), async (text, bytes) => {
        const mallory = await RawClient.open(server.port);
        mallory.write(Buffer.concat([Buffer.from(text), bytes]));
        await mallory.ended();
      }),
      { numRuns: 150 },
    );
  });
});

/** Whether all that came for the channel says that it was refused. */
function isRefused(client: SocketClient, channel: string): boolean {
  return client.frames.every((frame) => frame.channel !== channel || frame.event === 'pusher:subscription_error');
}

function cut(bytes: Buffer, size: number): Buffer[] {
  if (bytes.length <= size) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
