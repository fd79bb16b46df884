import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  json,
  jsonValue,
  oneof,
  record,
  string,
  uint8Array,
} from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const otherApp = { id: '4', key: 'other-key', secret: 'other-secret' };
const channels = ['news', 'private-room', 'presence-room', 'cache-news'];

let server: ChannelsServer;
let bystander: SocketClient;

beforeAll(async () => {
  server = await startChannels({ apps: [testApp, otherApp] });
});
afterAll(() => server.close());

/** A client of another app, on channels of the same names: whatever the first app asks for, it hears nothing of it. */
beforeEach(async () => {
  bystander = await SocketClient.connect(server.port, otherApp);
  for (const channel of channels)
    await bystander.subscribe(channel, channel.startsWith('presence-') ? { user_id: 'bystander' } : undefined);
  await bystander.next('pusher:cache_miss');
});
afterEach(async () => {
  await bystander.settled('');
  expect(bystander.frames).toEqual([]);
  expect(bystander.closed).toBeUndefined();
  bystander.close();
});

/** Success is JSON; a refusal is a sentence of plain text, and never our fault. */
async function expectAnAnswer(...request: Parameters<typeof signed>): Promise<number> {
  const { status, text, contentType } = await overSocket(server, signed(...request));
  expect([200, 400, 401, 403, 404, 413, 414]).toContain(status);
  const isRefusal = status !== 200 && /^\/(batch_)?events/.test(request[1]);
  expect(isRefusal ? contentType : 'text/plain').toMatch(/^text\/plain/);
  expect(isRefusal ? text : 'a sentence\n').toMatch(/^.+\n$/s);
  if (status === 200) JSON.parse(text);
  expect(text).not.toContain(testApp.secret);
  return status;
}

const brackets = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const braces = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('a malformed body is refused without a 5xx', () => {
  it.each([
    ['is not JSON', 'hello'],
    ['is half of JSON', '{"name":"e"'],
    ['is a list', '[]'],
    ['is text', '"text"'],
    ['is null', 'null'],
    ['is not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['has a byte order mark', '\ufeff{"name":"e","channel":"news","data":"x"}'],
    ['is deep', brackets(400_000)],
    ['is deep in its data', `{"name":"e","channel":"news","data":${brackets(400_000)}}`],
    ['is deep in the objects of its data', `{"name":"e","channel":"news","data":${braces(150_000)}}`],
    ['is deep in its name', `{"name":${brackets(100_000)},"channel":"news","data":"x"}`],
    ['is deep in its channel', `{"name":"e","channel":${brackets(100_000)},"data":"x"}`],
    ['is deep in its channels', `{"name":"e","channels":[${brackets(100_000)}],"data":"x"}`],
    ['is deep in its socket id', `{"name":"e","channel":"news","data":"x","socket_id":${brackets(100_000)}}`],
    ['is deep in its info', `{"name":"e","channel":"news","data":"x","info":${brackets(100_000)}}`],
    ['has channels that are an object', '{"name":"e","channels":{"length":1,"0":"news"},"data":"x"}'],
    ['has everything in its prototype', '{"__proto__":{"name":"e","channel":"news","data":"x"}}'],
    ['is larger than a body may be', `{"name":"${'x'.repeat(1_100_000)}"}`],
  ])('%s', async (_, body) => {
    expect([400, 413]).toContain(await expectAnAnswer('POST', '/events', body));
    expect([400, 413]).toContain(await expectAnAnswer('POST', '/batch_events', body));
  });

  it.each(['name', 'channel', 'data', 'socket_id', 'info'])('is deep in the %s of a batch', async (field) => {
    const event = { name: 'e', channel: 'news', data: 'x', [field]: '?' };
    const body = JSON.stringify({ batch: [event] }).replace('"?"', brackets(100_000));
    expect([400, 413]).toContain(await expectAnAnswer('POST', '/batch_events', body));
  });
});

describe('no request is answered with a 5xx:', () => {
  const value = oneof(jsonValue(), constantFrom(...channels, '1.2', 'user_count', '__proto__'), string());
  const event = record(
    { name: value, channel: value, channels: oneof(array(value), value), data: value, socket_id: value, info: value },
    { requiredKeys: [] },
  );

  it('any event', async () => {
    await assert(
      asyncProperty(
        oneof(
          event.map((each) => JSON.stringify(each)),
          json(),
        ),
        async (body) => {
          await expectAnAnswer('POST', '/events', body);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('any batch', async () => {
    const batch = record({ batch: oneof(array(event), value) }).map((each) => JSON.stringify(each));
    await assert(
      asyncProperty(batch, async (body) => {
        await expectAnAnswer('POST', '/batch_events', body);
      }),
      { numRuns: 200 },
    );
  });

  it('any bytes', async () => {
    await assert(
      asyncProperty(uint8Array(), constantFrom('application/json', 'text/plain', 'x'), async (body, type) => {
        const headers = { 'content-type': type, 'content-length': String(body.length) };
        await expectAnAnswer('POST', '/events', Buffer.from(body), { headers });
      }),
      { numRuns: 200 },
    );
  });

  it('any channel, user and query', async () => {
    const name = oneof(
      string({ unit: 'grapheme', minLength: 1 }),
      constantFrom(...channels, '__proto__', '..', '%'),
    ).map(encodeURIComponent);
    const query = record({ info: string(), filter_by_prefix: string() }, { requiredKeys: [] });
    const path = oneof(
      name.map((each) => `/channels/${each}`),
      name.map((each) => `/channels/${each}/users`),
      constantFrom('/channels'),
    );
    await assert(
      asyncProperty(path, query, name, async (each, parameters, user) => {
        await expectAnAnswer('GET', each, undefined, { query: parameters });
        await expectAnAnswer('POST', `/users/${user}/terminate_connections`, '{}');
      }),
      { numRuns: 200 },
    );
  });
});
