import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FastPathAnswer, FastPathRoutes } from '../../apps/server/src/fast-path/fast-path-routes.js';
import { FastPathSockets } from '../../apps/server/src/fast-path/fast-path-sockets.js';

const post = 'POST /apps/3/events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
const get = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server;
let client: Socket;
let received = '';
let answerLater: ((status: number) => void) | undefined;

beforeEach(async () => {
  // Only what the sweep uses: sockets need the real rest.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  server = createServer((_, response) => response.end('from Node'));
  Object.assign(server, { keepAliveTimeout: 20_000, requestTimeout: 30_000 });
  const ours = (status: number): FastPathAnswer => ({ status, contentType: 'text/plain', body: 'ours' });
  const route = (): Promise<FastPathAnswer> =>
    new Promise((resolve) => {
      if (answerLater) answerLater = (status) => resolve(ours(status));
      else resolve(ours(200));
    });
  FastPathSockets.install(server, new FastPathRoutes({ events: route, batch_events: route }, 1000));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  received = '';
  client.setEncoding('latin1').on('data', (text: string) => (received += text));
  await accepted;
});
afterEach(() => {
  answerLater = undefined;
  client.destroy();
  server.closeAllConnections();
  server.close();
  vi.useRealTimers();
});

const expectAnswer = async (text: string, expected: RegExp): Promise<void> => {
  client.write(text);
  await expect.poll(() => received).toMatch(expected);
};
const seconds = (count: number): unknown => vi.advanceTimersByTime(count * 1000);

describe('a connection', () => {
  it('that is silent is passed to Node, which then serves it', async () => {
    seconds(7);
    await expectAnswer(post, /from Node/);
  });

  it('is passed to Node with its first other request, and stays there', async () => {
    await expectAnswer(post, /ours$/);
    await expectAnswer(get, /from Node/);
    received = '';
    await expectAnswer(post, /from Node/);
  });

  it('that was used and is idle is closed after the keep-alive time-out', async () => {
    await expectAnswer(post, /Keep-Alive: timeout=20\r\n\r\nours$/);
    seconds(19);
    await expectAnswer(post, /ours[^]*ours$/);
    const closed = once(client, 'close');
    seconds(22);
    await closed;
  });

  it('is answered 408 if its request does not end', async () => {
    const closed = once(client, 'close');
    await expectAnswer(`${post}${post.slice(0, -1)}`, /ours$/);
    seconds(29);
    expect(received).not.toContain('408');
    seconds(3);
    await closed;
    expect(received).toMatch(/HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n\r\n$/);
  });

  it('that asked to close is closed, even if its client leaves it open', async () => {
    const patient = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    patient.resume().write(post.replace('Host', 'Connection: close\r\nHost'));
    await once(patient, 'end');
    await expect.poll(() => connectionsOf(server)).toBe(1);
    patient.destroy();
  });

  it('waits for a slow answer', async () => {
    answerLater = () => undefined;
    const waiting = answerLater;
    client.write(post);
    await expect.poll(() => answerLater).not.toBe(waiting);
    seconds(100);
    answerLater(202);
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 202 Accepted[^]*ours$/);
  });

  it('that has closed does no harm to its answer', async () => {
    answerLater = () => undefined;
    const waiting = answerLater;
    client.write(post);
    await expect.poll(() => answerLater).not.toBe(waiting);
    client.resetAndDestroy();
    await expect.poll(() => connectionsOf(server)).toBe(0);
    expect(() => answerLater?.(200)).not.toThrow();
  });
});

const connectionsOf = (of: Server): Promise<number> =>
  new Promise((resolve, reject) => of.getConnections((error, count) => (error ? reject(error) : resolve(count))));
