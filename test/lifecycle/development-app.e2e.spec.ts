import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { signed, type Signing } from '../support/channels-api.js';
import { newHttpId } from '../support/http-client.js';
import { useServer } from '../support/server.js';

const server = useServer();
const app = { id: 'app-id', key: 'app-key', secret: 'app-secret' };

type Headers = Readonly<Record<string, string>>;

/** The status and text of a request, with headers as a browser or a server library sends them. */
async function ask(method: 'GET' | 'POST', path: string, headers: Headers, body = '') {
  const { port } = server().getHttpServer().address() as AddressInfo;
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const options = { host: '127.0.0.1', port, method, path, agent: false, headers: { ...length, ...headers } };
  const sent = httpRequest(options).end(body);
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { readonly statusCode: number }];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

const signing: Signing = { app };
const list = (headers: Headers) => ask('GET', signed('GET', '/channels', undefined, signing).url, headers);

/** The first is read on the fast path, if its head permits; an unusual one is left to the router. */
async function trigger(headers: Headers) {
  const { url, body } = signed('POST', '/events', { name: 'e', channels: ['c'], data: 'd' }, signing);
  const asked: readonly Headers[] = [headers, { ...headers, connection: 'keep-alive, x' }];
  const [plain, routed] = await Promise.all(asked.map((each) => ask('POST', url, each, String(body))));
  expect(plain).toEqual(routed);
  return plain!;
}

/** The event or the close that a connection begins with. */
async function connect(headers: Headers): Promise<string> {
  const { port } = server().getHttpServer().address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/app/app-key?protocol=7`, { headers });
  const [text] = (await once(socket, 'message')) as [Buffer];
  socket.terminate();
  return text.toString();
}

const poll = (headers: Headers) => ask('POST', `/pusher/app/app-key/${newHttpId()}/xhr`, headers);

describe('the development app, whose secret is public', () => {
  it.each<[string, Headers]>([
    ['a program with a loopback address', { host: '127.0.0.1:6001' }],
    ['a program with the name of this machine', { host: 'localhost:6001' }],
    ['a program over IPv6', { host: '[::1]:6001' }],
    ['a container of this machine', { host: 'host.docker.internal:6001' }],
    ['a page of this machine, from any port', { host: '127.0.0.1:6001', origin: 'http://localhost:3000' }],
    ['a page of another name of this machine', { host: 'localhost:6001', origin: 'https://shop.test' }],
    ['a page in a file', { host: 'localhost:6001', origin: 'file://' }],
    ['an app in the emulator of a phone', { host: '10.0.2.2:6001', origin: 'http://10.0.2.2:6001' }],
    ['an app in a web view', { host: 'localhost:6001', origin: 'capacitor://localhost' }],
  ])('serves %s', async (_, headers) => {
    expect((await list(headers)).status).toBe(200);
    expect(await trigger(headers)).toEqual({ status: 200, text: '{}' });
    expect(await connect(headers)).toContain('pusher:connection_established');
    expect((await poll(headers)).text).toContain('pusher:connection_established');
  });

  it.each<[string, Headers]>([
    ['a page of the internet', { host: '127.0.0.1:6001', origin: 'https://evil.example' }],
    ['a page in a frame without an origin', { host: '127.0.0.1:6001', origin: 'null' }],
    ['a name that leads here for a moment', { host: 'evil.example:6001' }],
    ['a page of such a name', { host: 'evil.example:6001', origin: 'http://evil.example:6001' }],
    ['a name that begins like this machine', { host: 'localhost.evil.example:6001' }],
    ['a name that begins like an address', { host: '127.0.0.1.evil.example:6001' }],
    ['a page that claims two names', { host: '127.0.0.1:6001', origin: 'http://localhost@evil.example' }],
    ['a name that is none', { host: '127.0.0.1:6001', origin: 'http://%' }],
  ])('refuses %s', async (_, headers) => {
    for (const answer of [await list(headers), await trigger(headers)])
      expect(answer).toEqual({
        status: 403,
        text: expect.stringMatching(/^The app app-id is for this machine alone/) as string,
      });
    expect(await connect(headers)).toContain('"code":4009,"message":"Origin not allowed"');
    expect((await poll(headers)).text).toContain('c[4009,');
  });
});
