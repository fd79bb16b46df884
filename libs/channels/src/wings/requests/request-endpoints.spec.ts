import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { appFrom } from '../../app/app.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { RequestEndpoints } from './request-endpoints.js';
import type { Settled } from './request-error.js';

const message = { event: 'rookery:request', id: '1', name: 'move', data: null, again: false } as const;

/** How many endpoints are remembered. */
const most = 1000;

let server: Server;
let endpoints: RequestEndpoints;
/** The open sockets at the server, by the latest path that was asked for on them. */
const sockets = new Map<Socket, string>();
/** Of the requests that the server has not answered. */
let held: ServerResponse[] = [];

beforeEach(async () => {
  server = createServer((request, response) => {
    const { socket, url = '' } = request;
    if (!sockets.has(socket)) socket.on('close', () => sockets.delete(socket));
    sockets.set(socket, url);
    request.resume();
    if (url === '/held') held.push(response);
    else response.end('"answered"');
  });
  // Longer than the test: what closes a socket before is the client.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoints = new RequestEndpoints(
    settingsOf(ChannelsSettings, { apps: [], allowPrivateNetwork: true, requests: { timeoutMs: 50_000 } }),
  );
});
afterEach(async () => {
  await endpoints.onApplicationShutdown();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  held = [];
});

/** Asks the server. */
const ask = (path: string): Promise<Settled> =>
  askAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

/** Asks an endpoint of an app. */
function askAt(url: string): Promise<Settled> {
  const app = appFrom({ id: 'app', key: 'k', secret: 's', requests: [{ name: 'move', url }] });
  const answerer = endpoints.find(app, undefined, 'move')!;
  return answerer.answer({ app, socketId: '1.1' } as Connection, message);
}

const openOf = (path: string): number => [...sockets.values()].filter((each) => each === path).length;

/** Asks others, which are refused without a connection. */
const askOthers = (count: number): Promise<unknown> =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => askAt(`ftp://other/${n}`)));

it('closes the endpoints that were asked longest ago, once there are many, but only after their replies', async () => {
  const reply = ask('/held');
  await expect.poll(() => held).toHaveLength(1);
  await ask('/first');
  await ask('/idle');
  await ask('/first');
  await askOthers(most - 1);
  await expect.poll(() => openOf('/idle')).toBe(0);
  expect([openOf('/held'), openOf('/first')]).toEqual([1, 1]);
  held[0]!.end('"late"');
  expect(await reply).toEqual({ json: '"late"' });
  await expect.poll(() => openOf('/held')).toBe(0);
});
