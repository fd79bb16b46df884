import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from 'rookery/internal/typeorm';
import type { Recent, Why } from '../../libs/console/src/contract/index.js';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { ConsoleClient } from '../support/console-client.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const password = 'correct horse battery staple';
const room = 'presence-room';

let folder: string;
let server: ServerProcess;
const ending: (() => unknown)[] = [];
beforeAll(() => buildServer(), 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-why-'));
  // Some 40 steps of connections fit into the memory of the process.
  const config = { apps: [testApp], console: { password, traceBytes: 65_536 } };
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
  await start();
});
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  rmSync(folder, { recursive: true });
});

const databaseUrl = () => `sqlite:${join(folder, 'rookery.db')}`;

async function start(): Promise<void> {
  server = await ServerProcess.start({ CONFIG_FILE: join(folder, 'rookery.json'), DATABASE_URL: databaseUrl() });
  ending.push(() => server.kill());
}

async function connect(): Promise<SocketClient> {
  const client = await SocketClient.connect(server.port);
  ending.push(() => client.close());
  return client;
}

const get = (path: string): Promise<any> => new ConsoleClient(server.port, password).get(`apps/${testApp.id}/${path}`);

/** Sends an event, and answers its id in the console. */
async function sent(name: string): Promise<string> {
  await overSocket(server, signed('POST', '/events', { name, channel: room, data: '{}' }));
  const { activities } = (await get('recent')) as Recent;
  return activities.find((each) => each.name === name)!.id;
}

/** Until all that has happened is in the database. */
async function isKept(): Promise<void> {
  const since = Date.now();
  const database = await openDatabase(databaseUrl());
  const blocks = async () => database.read('SELECT until FROM rookery_trace_blocks WHERE until > ?', [since]);
  await until(async () => (await blocks()).length > 0, 'it is in the database');
  await database.dataSource.destroy();
}

/** What "Why?" says of each connection of Alice. */
async function whyOf(event: string): Promise<readonly string[]> {
  const { sockets } = (await get(`why?event=${encodeURIComponent(event)}&user=alice`)) as Why;
  return sockets.map(({ verdict, text }) => `${verdict}: ${text}`);
}

const hadLeft = ['not_delivered: It had unsubscribed before.'];

it('"Why?" still knows that a user had left a channel, after hundreds of other steps, and after a restart', async () => {
  const alice = await connect();
  await alice.subscribe(room, { user_id: 'alice' });
  alice.send({ event: 'pusher:unsubscribe', data: { channel: room } });
  await until(async () => (await get('channels')).channels.length === 0, 'she has left');
  const event = await sent('missed');
  await alice.subscribe(room, { user_id: 'alice' });
  expect(await whyOf(event)).toEqual(hadLeft);
  await isKept();

  const busy = await connect();
  for (let n = 0; n < 300; n++) await busy.subscribe(`news-${n}`);
  expect(await whyOf(event)).toEqual(hadLeft);
  const got = await sent('heard');
  await alice.next('heard');
  expect(await whyOf(got)).toEqual([expect.stringMatching(/^delivered: /)]);
  await isKept();

  await server.kill();
  await start();
  expect(await whyOf(event)).toEqual(hadLeft);
  expect(await whyOf(got)).toEqual([expect.stringMatching(/^delivered: /)]);
  expect(await whyOf('1@never')).not.toEqual(hadLeft);
}, 120_000);
