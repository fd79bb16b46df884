import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { assert, asyncProperty, constantFrom, nat } from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { SafeFetch, type ResolveAll, type SafeFetchOptions } from '#common';
import { authority, localhost } from '../support/tls/index.js';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function listening(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const serve = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  listening(createServer(localhost, answer));

function client(options: SafeFetchOptions = {}): SafeFetch {
  const fetch = new SafeFetch({ ca: authority, ...options });
  open.push(fetch);
  return fetch;
}

const trusting = (options: SafeFetchOptions = {}) => client({ allowPrivateNetwork: true, ...options });

const answering =
  (...addresses: string[]): ResolveAll =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

it('posts a body and answers status, headers and body', async () => {
  const port = await serve((request, response) => {
    request.on('data', (sent) => response.writeHead(201, { location: '/1' }).end(`${request.method} ${sent}`));
  });
  const answer = await trusting().request(`https://localhost:${port}/hook?a=1`, { body: 'hello' });
  expect(answer).toMatchObject({ status: 201, headers: { location: '/1' }, body: 'POST hello' });
});

it('reuses its connections', async () => {
  const ports = new Set<number | undefined>();
  const port = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const fetch = trusting();
  for (let i = 0; i < 10; i++) await fetch.request(`https://localhost:${port}/`);
  // A second one is opened when a request follows before the pool has seen the first connection idle.
  expect(ports.size).toBeLessThanOrEqual(2);
});

it('sends the credentials of a URL as basic authorization', async () => {
  const port = await serve((request, response) => response.end(request.headers.authorization));
  const { body } = await trusting().request(`https://user:p%40ss@localhost:${port}/`);
  expect(body).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
});

it('returns a redirect unchanged', async () => {
  const port = await serve((_request, response) => response.writeHead(302, { location: 'https://1.1.1.1/' }).end());
  expect(await trusting().request(`https://localhost:${port}/`)).toMatchObject({ status: 302 });
});

it('limits the bytes it keeps of a body', async () => {
  const port = await serve((_request, response) => {
    const write = () => response.write('x'.repeat(1000), () => response.destroyed || setImmediate(write));
    response.on('error', () => {});
    write();
  });
  const answer = await trusting({ maxAnswerBytes: 2500 }).request(`https://localhost:${port}/`);
  expect(answer).toMatchObject({ status: 200, body: 'x'.repeat(2500) });
});

it.each(['never answers', 'never ends its answer'])('gives up on a host that %s', async (how) => {
  const port = await serve((_request, response) => {
    if (how === 'never ends its answer') response.write('.');
  });
  const asking = trusting({ timeoutMs: 100 }).request(`https://localhost:${port}/secret-path`);
  await expect(asking).rejects.toMatchObject({ name: 'FetchFailed', reason: 'timeout' });
});

it('reports a refused connection, without the path', async () => {
  const server = createHttpServer();
  const port = await listening(server);
  server.close();
  const failed = await trusting()
    .request(`https://me:pw@localhost:${port}/secret-path`)
    .catch((error: Error) => error);
  expect(failed).toMatchObject({ name: 'FetchFailed', reason: 'network', code: 'ECONNREFUSED' });
  expect(String((failed as Error).stack)).not.toMatch(/secret-path|pw/);
});

it('sends nothing once it is closed, even if it never sent before', async () => {
  const port = await serve((_, response) => response.end());
  const fetch = trusting();
  const early = fetch.request(`https://localhost:${port}/`);
  await fetch.close();
  for (const request of [early, fetch.request(`https://localhost:${port}/`)])
    await expect(request).rejects.toMatchObject({ reason: 'network', code: 'UND_ERR_DESTROYED' });
});

it('does not trust a self-signed certificate', async () => {
  const port = await serve((_request, response) => response.end());
  const fetch = new SafeFetch({ allowPrivateNetwork: true });
  open.push(fetch);
  await expect(fetch.request(`https://localhost:${port}/`)).rejects.toMatchObject({ reason: 'network' });
});

it('requests http URLs only if allowed', async () => {
  const port = await listening(createHttpServer((_request, response) => response.end('plain')));
  const url = `http://localhost:${port}/`;
  await expect(trusting().request(url)).rejects.toMatchObject({ name: 'UnsafeUrl', reason: 'scheme' });
  expect(await trusting({ allowHttp: true }).request(url)).toMatchObject({ body: 'plain' });
});

it.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,hi', 'javascript:1'])(
  'never requests %s',
  (url) => expect(trusting({ allowHttp: true }).request(url)).rejects.toMatchObject({ reason: 'scheme' }),
);

it.each(['', 'nonsense', 'https://', '//host/path'])('says that %j is not a URL', (url) =>
  expect(trusting().request(url)).rejects.toMatchObject({ name: 'UnsafeUrl', reason: 'not-a-url' }),
);

it.each([
  ['push.example', true],
  ['a.push.example', true],
  ['PUSH.EXAMPLE', true],
  ['localhost', false],
  ['evilpush.example', false],
  ['push.example.evil.example', false],
])('requests only allowed hosts: %s: %j', async (host, allowed) => {
  const options = { allowedHosts: ['push.example', '*.push.example'], resolve: answering('127.0.0.1') };
  const reason = allowed ? 'private-address' : 'host';
  await expect(client(options).request(`https://${host}/`)).rejects.toMatchObject({ name: 'UnsafeUrl', reason });
});

it('requests other hosts only at permitted private addresses', async () => {
  const port = await serve((_request, response) => response.end());
  const asking = (address: string) =>
    trusting({ allowedHosts: ['push.example'], resolve: answering(address) }).request(`https://localhost:${port}/`, {
      timeoutMs: 1000,
    });
  expect(await asking('127.0.0.1')).toMatchObject({ status: 200 });
  await expect(asking('1.0.0.255')).rejects.toMatchObject({ name: 'UnsafeUrl', reason: 'host' });
});

it.each([
  'localhost',
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '017700000001',
  '127.1',
  '127.0.0.1.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '169.254.169.254',
  '[fd00:ec2::254]',
  '0',
])('connects to no private address, written as %s', async (host) => {
  const port = await serve(() => expect.unreachable());
  const asking = client().request(`https://${host}:${port}/`);
  await expect(asking).rejects.toMatchObject({ name: 'UnsafeUrl', reason: 'private-address' });
});

it('connects to no private address in any numeric notation of a URL', async () => {
  const fetch = client();
  const forms: ((octets: number[], bits: number) => string)[] = [
    (octets) => octets.join('.'),
    (_octets, bits) => String(bits),
    (_octets, bits) => `0x${bits.toString(16)}`,
    (_octets, bits) => `0${bits.toString(8)}`,
    (octets) => octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
    (octets) => octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    ([a, b], bits) => `${a}.${b}.${bits & 0xffff}`,
    ([a], bits) => `${a}.${bits & 0xffffff}`,
    (octets) => `[::ffff:${octets.join('.')}]`,
  ];
  await assert(
    asyncProperty(
      constantFrom(10, 127, 0),
      nat(255),
      nat(255),
      nat(255),
      constantFrom(...forms),
      async (a, b, c, d, form) => {
        const host = form([a, b, c, d], ((a << 24) | (b << 16) | (c << 8) | d) >>> 0);
        await expect(fetch.request(`https://${host}:1/`), host).rejects.toMatchObject({ reason: 'private-address' });
      },
    ),
  );
});

it('refuses a public name that resolves to a private address', async () => {
  const port = await serve(() => expect.unreachable());
  const asking = client({ resolve: answering('127.0.0.1', '::1', '10.0.0.1') }).request(
    `https://push.example:${port}/`,
  );
  await expect(asking).rejects.toMatchObject({ reason: 'private-address' });
});

it('connects only to the public addresses of a name', async () => {
  const port = await serve(() => expect.unreachable());
  // 192.0.2.0/24 would be refused too, so the public address has to be one that cannot be reached from here in time.
  const fetch = client({ resolve: answering('127.0.0.1', '1.0.0.255'), timeoutMs: 200 });
  await expect(fetch.request(`https://push.example:${port}/`)).rejects.toMatchObject({ name: 'FetchFailed' });
});

it('resolves a name once per connection', async () => {
  const port = await serve((_request, response) => response.end());
  let lookups = 0;
  // The second answer is what a rebinding name server would give.
  const resolve: ResolveAll = (_hostname, _options, callback) =>
    callback(null, [{ address: ++lookups === 1 ? '1.0.0.255' : '127.0.0.1', family: 4 }]);
  const asking = client({ resolve, timeoutMs: 200 }).request(`https://push.example:${port}/`);
  await expect(asking).rejects.toMatchObject({ name: 'FetchFailed' });
  expect(lookups).toBe(1);
});
