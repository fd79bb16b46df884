import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConnectProxy } from '../../../../test/support/connect-proxy.js';
import { listen } from '../../../../test/support/stand-ins/listen.js';
import { tunnelTo } from './tunnel.js';

const open: { close(): unknown }[] = [];
let proxy: ConnectProxy;
let target: URL;
let greeting: string | undefined;
beforeEach(async () => {
  greeting = undefined;
  proxy = await ConnectProxy.start();
  const echo = await listen(
    createServer((socket) => {
      if (greeting) socket.write(greeting);
      socket.pipe(socket);
    }),
  );
  target = new URL(`http://echo.example:${echo.port}`);
  open.push(echo, proxy);
});
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function echoed(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString();
}

it('connects to the host and port of a URL', async () => {
  const socket = await tunnelTo(target, new URL(proxy.url()), { timeoutMs: 5000 });
  expect(await echoed(socket, 'hello')).toBe('hello');
  expect(proxy.asked).toEqual([target.host]);
  socket.destroy();
});

it('keeps what the host sends first', async () => {
  greeting = 'welcome';
  const socket = await tunnelTo(target, new URL(proxy.url()), { timeoutMs: 5000 });
  expect(String(socket.read() ?? (await once(socket, 'data'))[0])).toBe('welcome');
  socket.destroy();
});

it('leaves a connection open for longer than the proxy may take to open it', async () => {
  const socket = await tunnelTo(target, new URL(proxy.url()), { timeoutMs: 200 });
  // Longer than the time-out, which must not come.
  await delay(400);
  expect(await echoed(socket, 'still there')).toBe('still there');
  socket.destroy();
});

it.each([
  [407, 'PROXY_407'],
  [302, 'PROXY_302'],
  ['drop', 'PROXY_ECONNRESET'],
  ['hang', 'PROXY_TIMEOUT'],
] as const)('fails if the proxy answers %s', async (conduct, code) => {
  proxy.conduct = conduct;
  const tunnel = tunnelTo(target, new URL(proxy.url('user:secret')), { timeoutMs: 200 });
  const failure = await tunnel.catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'ProxyFailed', code });
  expect(String(failure)).not.toContain('secret');
});

it('fails if there is no proxy, or nobody waits any more', async () => {
  const gone = new URL(proxy.url());
  proxy.conduct = 'hang';
  const abort = new AbortController();
  const given = tunnelTo(target, gone, { timeoutMs: 5000, signal: abort.signal });
  abort.abort();
  await expect(given).rejects.toMatchObject({ code: 'PROXY_ABORT_ERR' });
  await proxy.close();
  await expect(tunnelTo(target, gone, { timeoutMs: 5000 })).rejects.toMatchObject({ code: 'PROXY_ECONNREFUSED' });
});

it.each([
  ['p%40ss', 'p@ss'],
  ['100%', '100%'],
  ['5%of%40', '5%of@'],
  ['%ff', '%ff'],
])('sends the password %s as %s', async (written, meant) => {
  let given: string | undefined;
  const refusing = createHttpServer().on('connect', ({ headers }, socket) => {
    given = headers['proxy-authorization'];
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  const { port, close } = await listen(refusing);
  open.push({ close });
  const through = new URL(`http://user:${written}@127.0.0.1:${port}`);
  await expect(tunnelTo(target, through, { timeoutMs: 5000 })).rejects.toMatchObject({ code: 'PROXY_407' });
  expect(given).toBe(`Basic ${Buffer.from(`user:${meant}`).toString('base64')}`);
});
