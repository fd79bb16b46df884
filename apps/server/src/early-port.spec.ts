import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { authority, localhost } from '../../../test/support/tls/index.js';
import { until } from '../../../test/support/until.js';
import { EarlyPort } from './early-port.js';

const host = '127.0.0.1';
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

const answer: RequestListener = (request, response) => void response.end(`answer to ${request.url}`);

async function open(...bounds: Parameters<typeof EarlyPort.open> extends [unknown, ...infer Rest] ? Rest : never) {
  const held = await EarlyPort.open({ HOST: host, PORT: '0' }, ...bounds);
  const { port } = held!.options(host).address() as AddressInfo;
  return { held: held!, port };
}

async function serve(server: Server, held: EarlyPort): Promise<void> {
  server.listen(held.options(host));
  await once(server, 'listening');
  held.passTo(server);
  ending.push(() => new Promise((resolve) => void server.close(resolve)));
}

/** Asks on a socket that may not be served yet. */
function ask(socket: Socket, path: string): { received: string } {
  const asked = { received: '' };
  socket.on('data', (chunk: Buffer) => (asked.received += chunk.toString())).on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return asked;
}

describe('an early port', () => {
  it.each([
    ['plain HTTP', () => createServer(answer), (port: number): Socket => connect(port, host)],
    [
      'TLS',
      () => createTlsServer(localhost, answer),
      (port: number): Socket => connectTls({ port, host, servername: 'localhost', ca: authority }),
    ],
  ])('serves clients that connect before the server listens, and later ones, over %s', async (_, create, connected) => {
    const { held, port } = await open();
    const early = [1, 2, 3].map((n) => ask(connected(port), `/${n}`));
    const settled = connect(port, host);
    await once(settled, 'connect');
    settled.destroy();
    expect(early.map(({ received }) => received)).toEqual(['', '', '']);
    await serve(create(), held);
    const late = ask(connected(port), '/late');
    await until(() => late.received.endsWith('answer to /late'), 'the late one is answered');
    await until(() => early.every(({ received }, i) => received.endsWith(`answer to /${i + 1}`)), 'all are answered');
  });

  it('is closed with the server', async () => {
    const { held, port } = await open();
    await serve(createServer(answer), held);
    for (const end of ending.splice(0)) await end();
    const [error] = (await once(connect(port, host), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });

  it('disconnects clients beyond its limit, and those that have waited too long', async () => {
    const { held, port } = await open({ most: 1, maxMs: 300 });
    const first = connect(port, host);
    await once(first, 'connect');
    const second = connect(port, host).on('error', () => {});
    await once(second, 'close');
    expect(first.destroyed).toBe(false);
    first.resume().on('error', () => {});
    await once(first, 'close');
    await serve(createServer(answer), held);
  });
});

it.each([
  ['workers share it', { WORKERS: '2' }],
  ['a supervisor has opened it', { LISTEN_FDS: '1' }],
  ['its host has several addresses', { HOST: 'localhost' }],
  ['it is none', { PORT: 'x' }],
  ['its host is not here', { HOST: '192.0.2.1', PORT: '0' }],
])('a port is left to the server where %s', async (_, environment) => {
  expect(await EarlyPort.open(environment)).toBeUndefined();
});
