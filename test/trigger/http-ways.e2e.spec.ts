import { assert, asyncProperty, constantFrom, oneof, record, string } from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiRequest, overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

// The two ways that a request can take; the second is for speed alone.
const ways = { pipeline: {}, bypassRouter: { bypassRouter: true } } as const;
const servers = new Map<string, ChannelsServer>();
const apps = [{ ...testApp, subscriptionCount: true }];

beforeAll(async () => {
  for (const [name, way] of Object.entries(ways)) servers.set(name, await startChannels({ apps, ...way }));
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

async function answersTo(request: ApiRequest): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const server of servers.values()) answers.push(withoutTime(await overSocket(server, request)));
  return answers;
}

/** A second may pass between two answers that tell the server's time. */
const withoutTime = <Answer extends { readonly text: string }>(answer: Answer): Answer => ({
  ...answer,
  text: answer.text.replace(/server time \([\dT:Z+-]{20,25}\)/, 'server time (now)'),
});

async function expectOneAnswer(request: ApiRequest): Promise<void> {
  const [first, ...others] = await answersTo(request);
  for (const other of others) expect(other).toEqual(first);
}

const event = { name: 'e', channels: ['a', 'b'], data: 'd' };
const tooMuch = { ...event, data: 'x'.repeat(1_100_000) };

describe('the pipeline and the direct route answer alike', () => {
  it.each([
    ['an event', signed('POST', '/events', event)],
    ['an event that asks for counts', signed('POST', '/events', { ...event, info: 'subscription_count' })],
    [
      'a batch',
      signed('POST', '/batch_events', { batch: [{ name: 'e', channel: 'c', data: 'd', info: 'user_count' }] }),
    ],
    ['a batch that is none', signed('POST', '/batch_events', { batch: 7 })],
    ['too many channels', signed('POST', '/events', { ...event, channels: Array(101).fill('c') })],
    ['a body over the limit', signed('POST', '/events', tooMuch)],
    ['a body that is no JSON', signed('POST', '/events', '{"name":')],
    ['no body', signed('POST', '/events')],
    ['a text in another type', signed('POST', '/events', event, { headers: { 'content-type': 'text/plain' } })],
    ['chunks', signed('POST', '/events', event, { headers: { 'transfer-encoding': 'chunked' } })],
    ['a wrong signature', signed('POST', '/events', event, { signature: 'f'.repeat(64) })],
    ['an old timestamp', signed('POST', '/events', event, { auth: { auth_timestamp: '1353088179' } })],
    ['an unknown key', signed('POST', '/events', event, { auth: { auth_key: 'nobody' } })],
    ['another app in the path', signed('POST', '/events', event, { appId: '4' })],
    ['an escaped app in the path', signed('POST', '/events', event, { appId: '%33' })],
    ['no app in the path', signed('POST', '/events', event, { appId: '' })],
    ['a slash too much', signed('POST', '/events/', event)],
    ['the wrong method', signed('GET', '/events')],
    ['all channels', signed('GET', '/channels')],
    ['a channel', signed('GET', '/channels/presence-a', undefined, { query: { info: 'user_count' } })],
    ['the users of a channel that has none', signed('GET', '/channels/a/users')],
    ['an end of connections', signed('POST', '/users/a%20b/terminate_connections', {})],
    ['a path that is none of ours', signed('POST', '/users/a', {})],
  ])('%s', async (_, request) => {
    await expectOneAnswer(request);
  });

  it('any event', async () => {
    const value = oneof(
      string(),
      string({ unit: 'grapheme' }),
      constantFrom(null, 7, [], ['a'], {}, 'pusher:x', '1.2'),
    );
    const any = record(
      { name: value, data: value, channel: value, socket_id: value, info: value },
      { requiredKeys: [] },
    );
    await assert(
      asyncProperty(any, constantFrom('/events', '/batch_events'), async (each, path) => {
        await expectOneAnswer(signed('POST', path, path === '/events' ? each : { batch: [each] }));
      }),
      { numRuns: 60 },
    );
  });
});

it('bypasses the router and its hooks only if enabled, and only for plain triggers', async () => {
  const hook = vi.fn((_request: unknown, _reply: unknown, done: () => void) => done());
  const { app, ...server } = await startChannels({ apps, bypassRouter: true }, (each) =>
    each.getHttpAdapter().getInstance().addHook('onRequest', hook),
  );
  expect(await overSocket(server, signed('POST', '/events', event))).toMatchObject({ status: 200, text: '{}' });
  expect(hook).not.toHaveBeenCalled();
  await overSocket(server, signed('GET', '/channels'));
  await overSocket(server, signed('POST', '/users/a/terminate_connections', {}));
  await overSocket(server, signed('POST', '/events', event, { headers: { 'transfer-encoding': 'chunked' } }));
  expect(hook).toHaveBeenCalledTimes(3);
  await app.close();
});

describe.each(Object.keys(ways))('%s', (way) => {
  const bytesOf = ({ method, url, body = '' }: ApiRequest): string =>
    `${method} ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${String(body)}`;

  it('answers pipelined requests in order on one connection', async () => {
    const { port } = servers.get(way)!;
    const requests = [
      signed('POST', '/events', event),
      signed('POST', '/events', { ...event, name: '' }),
      signed('POST', '/batch_events', { batch: [] }),
      signed('POST', '/events', { ...event, info: 'subscription_count' }),
    ];
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write(requests.map(bytesOf).join(''));
    await expect.poll(() => text.match(/HTTP\/1\.1 \d+/g) ?? []).toHaveLength(4);
    expect(text.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['200', '400', '200', '200'].map((each) => `HTTP/1.1 ${each}`));
    expect(text).toContain('"subscription_count":0');
    socket.destroy();
  });

  it('survives clients that disconnect while they send or wait', async () => {
    const { port } = servers.get(way)!;
    const request = bytesOf(signed('POST', '/events', event));
    for (const length of [10, request.length - 5, request.length]) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.end(request.slice(0, length));
      socket.destroy();
    }
    expect(await overSocket(servers.get(way)!, signed('POST', '/events', event))).toMatchObject({ status: 200 });
  });

  it('delivers triggered events', async () => {
    const { port } = servers.get(way)!;
    const client = await SocketClient.connect(port);
    await client.subscribe('a');
    await overSocket(servers.get(way)!, signed('POST', '/events', event));
    expect(await client.next('e')).toMatchObject({ channel: 'a', data: 'd' });
    client.close();
  });

  it('answers requests in progress when the server stops, and then closes', async () => {
    const { port, close } = await startChannels({ apps, ...ways[way as keyof typeof ways] });
    await overSocket({ port }, signed('POST', '/events', event));
    const request = bytesOf(signed('POST', '/events', event));
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write(request.slice(0, -5));
    // Another connection's answer: by then the server has begun to read this one.
    await overSocket({ port }, signed('GET', '/channels'));
    const closed = close();
    socket.write(request.slice(-5));
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n\{\}$/);
    socket.destroy();
    await closed;
  });
});
