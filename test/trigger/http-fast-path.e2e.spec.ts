import { array, assert, asyncProperty, constantFrom, nat } from 'fast-check';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiRequest, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { rawExchange } from '../support/raw-http.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

// What Node's parser and the platform's router answer is right; reading triggers ourselves must not be told from it.
const stopped = { ...testApp, id: '4', key: 'stopped', limits: { triggersPerSecond: 0 } };
let asNode: ChannelsServer;
let fast: ChannelsServer;
beforeAll(async () => {
  [asNode, fast] = await Promise.all([
    startChannels({ apps: [testApp, stopped] }),
    startChannels({ apps: [testApp, stopped], bypassRouter: true }),
  ]);
});
afterAll(() => Promise.all([asNode.close(), fast.close()]));

const event = { name: 'e', channels: ['a'], data: 'd' };
const trigger = signed('POST', '/events', event);

/** A request as bytes; a header that is undefined is left out. */
function bytesOf(
  { method, url, body = '' }: ApiRequest,
  headers: Readonly<Record<string, string | undefined>> = {},
  line = `${method} ${url} HTTP/1.1`,
): string {
  const all = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${[line, ...lines].join('\r\n')}\r\n\r\n${String(body)}`;
}

/** Has the server close the connection once it has answered all before. */
const last = bytesOf(signed('GET', '/channels'), { 'Content-Length': undefined, Connection: 'close' });

async function expectAlike(pieces: readonly string[], options?: Parameters<typeof rawExchange>[2]): Promise<string> {
  const [expected, found] = await Promise.all([asNode, fast].map(({ port }) => rawExchange(port, pieces, options)));
  expect(found).toBe(expected);
  return found!;
}

describe('a trigger on the fast path is answered byte by byte as by Node', () => {
  it.each<[string, string]>([
    ['plain', bytesOf(trigger)],
    ['batched', bytesOf(signed('POST', '/batch_events', { batch: [event] }))],
    ['over the rate of its app', bytesOf(signed('POST', '/events', event, { app: stopped }))],
    ['with an Idempotency-Key', bytesOf(trigger, { 'Idempotency-Key': 'once' })],
    ['with an Idempotency-Key that is none', bytesOf(trigger, { 'idempotency-KEY': '' })],
    ['refused', bytesOf(signed('POST', '/events', { ...event, name: '' }))],
    ['refused in words beyond ASCII', bytesOf(signed('POST', '/events', event, { auth: { auth_version: 'é' } }))],
    ['with a wrong signature', bytesOf(signed('POST', '/events', event, { signature: 'x' }))],
    ['without a body', bytesOf(signed('POST', '/events'))],
    ['without a body or a length', bytesOf(signed('POST', '/events'), { 'Content-Length': undefined })],
    [
      'with names in capitals',
      bytesOf(trigger, { 'Content-Length': undefined, 'CONTENT-LENGTH': `${trigger.body?.length}` }),
    ],
    ['with a tab before a value', bytesOf(trigger, { 'X-Odd': '\t ü ' })],
    ['with a connection that is kept', bytesOf(trigger, { Connection: 'Keep-Alive' })],
    ['with a connection of several words', bytesOf(trigger, { Connection: 'keep-alive, x-odd' })],
    ['with an offer of HTTP/2', bytesOf(trigger, { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' })],
    ['with an offer of two', bytesOf(trigger, { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c, x' })],
    ['of HTTP/1.0', bytesOf(trigger, {}, `POST ${trigger.url} HTTP/1.0`)],
    [
      'in chunks',
      bytesOf(trigger, { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }).replace(
        /\r\n\r\n([^]*)$/,
        (_, body: string) => `\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
    ],
    ['that waits for a go-ahead', bytesOf(trigger, { Expect: '100-continue' })],
    ['on a path with an escape', bytesOf(signed('POST', '/events', event, { appId: '%33' }))],
    ['for an app with a long id', bytesOf(signed('POST', '/events', event, { appId: 'x'.repeat(200) }))],
    ['for another app', bytesOf(signed('POST', '/events', event, { appId: 'other' }))],
    ['of another method', bytesOf({ ...trigger, method: 'PUT' })],
    ['with a body beyond the limit', bytesOf(signed('POST', '/events', { ...event, data: 'x'.repeat(1_200_000) }))],
  ])('%s', async (_, bytes) => {
    expect(await expectAlike([bytes, last])).toMatch(/^HTTP\/1\.1 \d/);
  });

  it('if it asks to close', async () => {
    expect(await expectAlike([bytesOf(trigger, { Connection: 'close' })])).toMatch(
      /^HTTP\/1\.1 200 [^]*Connection: close/,
    );
  });

  it.each([
    ['before a kept one', { Connection: 'close', connection: 'keep-alive' }],
    ['behind a kept one', { Connection: 'keep-alive', connection: 'close' }],
    ['of a proxy', { 'Proxy-Connection': 'close' }],
  ])('if it asks to close, %s', async (_, headers) => {
    expect(await expectAlike([bytesOf(trigger, headers)])).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close/);
  });

  it('if its client sends no more', async () => {
    expect(await expectAlike([bytesOf(trigger)], { end: true })).toMatch(/^HTTP\/1\.1 200 /);
    expect(await expectAlike([bytesOf(trigger).slice(0, -3)], { end: true })).toMatch(/^HTTP\/1\.1 400 /);
    expect(await expectAlike([], { end: true })).toBe('');
  });

  it.each<[string, string]>([
    ['two lengths', bytesOf(trigger, { 'content-length': '5' })],
    ['two lengths that agree', bytesOf(trigger, { 'content-length': `${trigger.body?.length}` })],
    ['a length and chunks', bytesOf(trigger, { 'Transfer-Encoding': 'chunked' })],
    ['a length with a sign', bytesOf(trigger, { 'Content-Length': `+${trigger.body?.length}` })],
    ['a length in hexadecimal', bytesOf(trigger, { 'Content-Length': '0x10' })],
    ['a length beyond counting', bytesOf(trigger, { 'Content-Length': '9'.repeat(30) })],
    ['an empty length', bytesOf(trigger, { 'Content-Length': '' })],
    [
      'a length behind another space than the usual',
      bytesOf(trigger, { 'Content-Length': `\xa0${trigger.body?.length}` }),
    ],
    ['a length before a tab', bytesOf(trigger, { 'Content-Length': `${trigger.body?.length}\t` })],
    ['a connection before a tab', bytesOf(trigger, { Connection: 'close\t' })],
    ['the connection of a proxy', bytesOf(trigger, { 'Proxy-Connection': 'keep-alive, x' })],
    ['no host', bytesOf(trigger, { Host: undefined })],
    ['two hosts', bytesOf(trigger, { host: 'other' })],
    ['a name with a space', bytesOf(trigger, { 'X Odd': '1' })],
    ['a space before the colon', bytesOf(trigger, { 'Content-Length ': '5' })],
    ['a folded line', bytesOf(trigger, { 'X-Odd': '1\r\n folded' })],
    ['a line feed alone', bytesOf(trigger, { 'X-Odd': '1\nContent-Length: 5' })],
    ['a carriage return alone', bytesOf(trigger, { 'X-Odd': '1\rContent-Length: 5' })],
    ['a NUL', bytesOf(trigger, { 'X-Odd': 'a\0b' })],
    ['a line without a colon', bytesOf(trigger, { 'X-Odd': '1\r\nodd' })],
    ['a whole address', bytesOf(trigger, {}, `POST http://localhost${trigger.url} HTTP/1.1`)],
    ['two spaces in its line', bytesOf(trigger, {}, `POST  ${trigger.url} HTTP/1.1`)],
    ['another version', bytesOf(trigger, {}, `POST ${trigger.url} HTTP/1.2`)],
    ['a method in small letters', bytesOf(trigger, {}, `post ${trigger.url} HTTP/1.1`)],
    ['a byte beyond ASCII in its path', bytesOf(trigger, {}, `POST ${trigger.url}&é HTTP/1.1`)],
    ['an upgrade', bytesOf(trigger, { Connection: 'Upgrade', Upgrade: 'websocket' })],
    ['a head beyond the limit', bytesOf(trigger, { 'X-Odd': 'x'.repeat(20_000) })],
    ['an empty line before it', `\r\n${bytesOf(trigger)}`],
    ['noise', '\x16\x03\x01\x02\x00\x01'],
  ])('with %s', async (_, bytes) => {
    await expectAlike([bytes, last]);
  });

  it('among others on one connection, for any packet boundaries', async () => {
    const kinds = {
      trigger: bytesOf(trigger),
      refused: bytesOf(signed('POST', '/events', { ...event, name: '' })),
      long: bytesOf(signed('POST', '/events', { ...event, data: 'x'.repeat(8000) })),
      list: bytesOf(signed('GET', '/channels'), { 'Content-Length': undefined }),
    };
    const requests = array(constantFrom(...Object.values(kinds)), { minLength: 1, maxLength: 5 });
    await assert(
      asyncProperty(requests, array(nat(12_000), { maxLength: 6 }), async (each, cuts) => {
        const bytes = each.join('') + last;
        const ends = [...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
        await expectAlike(
          ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end)).filter((piece) => piece !== ''),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a connection of the fast path', () => {
  it('can become a WebSocket', async () => {
    const client = await SocketClient.connect(fast.port);
    await client.subscribe('a');
    await rawExchange(fast.port, [bytesOf(trigger, { Connection: 'close' })]);
    expect(await client.next('e')).toMatchObject({ channel: 'a', data: 'd' });
    client.close();
  });

  it('applies backpressure if its client reads no answers, and loses none', async () => {
    const sockets: Socket[] = [];
    fast.app.getHttpServer().once('connection', (socket: Socket) => void sockets.push(socket));
    const client = connect({ port: fast.port, host: '127.0.0.1' }).pause();
    onTestFinished(() => void client.destroy());
    const count = 100_000;
    for (let sent = 0; sent < count; sent += 100) client.write(bytesOf(trigger).repeat(100));
    await until(
      () => sockets.some((socket) => socket.isPaused() && socket.writableNeedDrain),
      'the server waits for its client',
      60_000,
    );

    let bytes = 0;
    client.on('data', (chunk) => (bytes += chunk.length)).resume();
    const answer = await rawExchange(fast.port, [bytesOf(trigger), last]);
    const size = answer.indexOf('HTTP/1.1', 1) - 'Date: …'.length + `Date: ${new Date().toUTCString()}`.length;
    await until(() => bytes === count * size, 'all answers come', 60_000);
  }, 150_000);

  it("is closed when the server closes, as Node's are", async () => {
    const server = await startChannels({ apps: [testApp], bypassRouter: true });
    const idle = connect(server.port, '127.0.0.1');
    const used = connect(server.port, '127.0.0.1');
    used.write(bytesOf(trigger));
    await once(used, 'data');
    const closed = Promise.all([once(idle.resume(), 'close'), once(used.resume(), 'close')]);
    await server.close();
    await expect(closed).resolves.toEqual([[false], [false]]);
  });
});
