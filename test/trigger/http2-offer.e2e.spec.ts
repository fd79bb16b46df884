import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HttpPort } from '../../libs/http/src/port/http-port.js';
import { signed } from '../support/channels-api.js';
import { startChannels } from '../support/channels-server.js';
import { until } from '../support/until.js';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n';

/** A signed trigger, as head and body, from a client that offers HTTP/2. */
function trigger(name: string, data: string): readonly [string, Buffer] {
  const { url, body } = signed('POST', '/events', { name, channels: ['c'], data });
  const bytes = Buffer.from(body as string);
  const head = `POST ${url} HTTP/1.1\r\nHost: 127.0.0.1\r\n${offer}Content-Type: application/json\r\n`;
  return [`${head}Content-Length: ${bytes.length}\r\n\r\n`, bytes];
}

/** A connection, with the status lines of its answers. */
function opened(port: number) {
  const socket = connect(port, '127.0.0.1');
  ended.push(() => socket.destroy());
  let answers = '';
  socket.on('data', (chunk) => (answers += String(chunk)));
  const statuses = () => answers.match(/HTTP\/1.1 [^\r]+/g) ?? [];
  return { socket, statuses, text: () => answers };
}

async function serve(options: { readonly bypassRouter: boolean }) {
  const server = await startChannels({
    apps: [{ id: '3', key: '278d425bdf160c739803', secret: '7ad3773142a6692b25b8' }],
    ...options,
  });
  ended.push(() => server.close());
  const sockets: Socket[] = [];
  server.app.getHttpServer().prependListener('connection', (socket) => sockets.push(socket));
  return { port: server.port, sockets };
}

const ok = (count: number) => Array.from({ length: count }, () => 'HTTP/1.1 200 OK');

it.each([true, false])(
  'answers clients that offer HTTP/2 with every request, as Java’s do, over one connection (bypassRouter: %s)',
  async (bypassRouter) => {
    const { port } = await serve({ bypassRouter });
    const { socket, statuses } = opened(port);
    for (let n = 1; n <= 3; n++) {
      const [head, body] = trigger('e', 'é'.repeat(5000));
      socket.write(head);
      socket.write(body.subarray(0, 100));
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(body.subarray(100));
      await until(() => statuses().length === n, `answer ${n} arrives`);
    }
    expect(statuses()).toEqual(ok(3));
    socket.end();
    await once(socket, 'close');
  },
);

it('keeps nothing of earlier requests on a connection that offers HTTP/2 with every request', async () => {
  const { port, sockets } = await serve({ bypassRouter: false });
  const { socket, statuses } = opened(port);
  const listeners = () =>
    sockets.flatMap((each) => each.eventNames().map((event) => each.listenerCount(event))).reduce((a, b) => a + b, 0);
  const ask = async (count: number) => {
    socket.write(`GET /apps/3/channels HTTP/1.1\r\nHost: 127.0.0.1\r\n${offer}\r\n`);
    await until(() => statuses().length === count, `answer ${count} arrives`);
  };
  for (let n = 1; n <= 3; n++) await ask(n);
  const before = listeners();
  for (let n = 4; n <= 20; n++) await ask(n);
  expect(listeners()).toBe(before);
});

it('answers such requests in their order when the client does not wait for answers', async () => {
  const { port } = await serve({ bypassRouter: false });
  const { socket, statuses } = opened(port);
  socket.write(
    Buffer.concat(
      Array.from({ length: 5 }, () => trigger('e', 'x'))
        .flat()
        .map((each) => Buffer.from(each)),
    ),
  );
  await until(() => statuses().length === 5, 'all are answered');
  expect(statuses()).toEqual(ok(5));
});

it('answers an offer after the slow answer to an earlier request, in their order', async () => {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/slow') setTimeout(() => response.end('slow'), 50);
    else response.end('offered');
  });
  HttpPort.of(server).serveUpgrades({ wants: () => false, serve: () => false });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(() => server.close());
  const { socket, text } = opened((server.address() as AddressInfo).port);
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  socket.write(`GET /offered HTTP/1.1\r\nHost: a\r\n${offer}\r\n`);
  socket.write(`GET /offered HTTP/1.1\r\nHost: a\r\n${offer}\r\n`);
  await until(() => text().match(/slow|offered/g)?.length === 3, 'all are answered');
  expect(text().match(/slow|offered/g)).toEqual(['slow', 'offered', 'offered']);
});

it('still opens a WebSocket on a connection that offered HTTP/2 before', async () => {
  const { port } = await serve({ bypassRouter: false });
  const { socket, statuses, text } = opened(port);
  socket.write(`GET /apps/3/channels HTTP/1.1\r\nHost: 127.0.0.1\r\n${offer}\r\n`);
  await until(() => statuses().length === 1, 'the request is answered');
  socket.write(
    'GET /app/278d425bdf160c739803?protocol=7 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n' +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await until(() => text().includes('connection_established'), 'the greeting arrives');
});
