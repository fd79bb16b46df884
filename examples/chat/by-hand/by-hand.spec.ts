import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../../test/support/free-port.js';
import { joined, PusherJs } from '../../../test/support/pusher-js.js';
import { until } from '../../../test/support/until.js';
import { AppModule } from './app.module.js';

vi.setConfig({ testTimeout: 60_000 });

let server: INestApplication;
let chat: INestApplication;
let url: string;
const clients: PusherJs[] = [];

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
  const webhooks = [{ url: `${url}/webhooks`, events: ['member_added' as const, 'member_removed' as const] }];
  const app = { id: 'chat', key: 'chat-key', secret: 'chat-secret', clientEvents: true, webhooks };
  const imports = [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [app] })];
  server = await NestFactory.create({ module: class {}, imports }, { logger: false });
  await server.listen(0, '127.0.0.1');
  vi.stubEnv('PUSHER_PORT', String(port()));
  chat = await NestFactory.create(AppModule, { logger: false, rawBody: true });
  await chat.listen(new URL(url).port, '127.0.0.1');
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await chat?.close();
  await server?.close();
  vi.unstubAllEnvs();
});

const port = () => (server.getHttpServer().address() as AddressInfo).port;
const headers = { 'content-type': 'application/json' };
const post = (path: string, body: object, session = '') =>
  fetch(url + path, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${session}` },
    body: JSON.stringify(body),
  });

async function comeIn(name: string) {
  const { session } = (await (await post('/session', { name })).json()) as { session: string };
  const client = new PusherJs('chat-key', {
    cluster: 'self',
    wsHost: '127.0.0.1',
    wsPort: port(),
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: {
      endpoint: `${url}/pusher/auth`,
      transport: 'ajax',
      headers: { authorization: `Bearer ${session}` },
    },
  });
  clients.push(client);
  const room = await joined(client, 'presence-room.kitchen');
  const lines: string[] = [];
  room.bind('line', ({ from = '', text }: { from?: string; text: string }) => lines.push(`${from}: ${text}`));
  return { session, client, lines };
}

it('is the same chat, written by hand beside a server', async () => {
  const alice = await comeIn('Alice');
  const bob = await comeIn('Bob');
  await until(() => alice.lines.includes(': Bob came in'), 'Alice hears of Bob', 30_000);
  await post('/rooms/kitchen/lines', { text: 'Is there tea?' }, bob.session);
  await until(() => alice.lines.includes('Bob: Is there tea?'), 'Alice hears Bob', 30_000);
  bob.client.disconnect();
  await until(() => alice.lines.includes(': Bob left'), 'Alice hears that Bob left', 30_000);
  await expect(joined(alice.client, 'presence-room.cellar')).rejects.toMatchObject({ status: 403 });
  expect((await post('/webhooks', { events: [] })).status).toBe(401);
});

it.each([
  ['examples/chat/README.md', /\| all of it +\| (\d+) +\| (\d+) +\|/],
  ['docs/embedding.md', /does all this in (\d+) lines; .* takes (\d+)\./],
])('accepts the lines of %s', (page, numbers) => {
  const root = join(import.meta.dirname, '../../..');
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const linesOf = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + read(`examples/chat/${path}`).trimEnd().split('\n').length, 0);
  const modules = readdirSync(import.meta.dirname).filter((name) => !name.endsWith('.spec.ts'));
  const [, own, byHand] = numbers.exec(read(page)) ?? [];
  expect(Number(own)).toBe(linesOf(['src/app.module.ts', 'src/rooms.ts']));
  expect(Number(byHand)).toBe(linesOf(modules.map((name) => `by-hand/${name}`)));
});
