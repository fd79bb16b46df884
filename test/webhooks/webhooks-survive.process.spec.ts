import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from 'rookery/internal/typeorm';
import { testApp } from '../support/channels-server.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let folder: string;
let receiver: WebhookReceiver;
let server: ServerProcess | undefined;

beforeAll(buildServer, 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-webhooks-'));
  receiver = await WebhookReceiver.start();
  const apps = [{ ...testApp, webhooks: [{ url: receiver.url('/hook'), events: ['channel_occupied'] }] }];
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify({ apps }));
});
afterEach(async () => {
  await server?.kill();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const databaseUrl = () => `sqlite:${join(folder, 'rookery.db')}`;
const start = (): Promise<ServerProcess> =>
  ServerProcess.start({ CONFIG_FILE: join(folder, 'rookery.json'), DATABASE_URL: databaseUrl() });

/** Lets the time pass that a claim of the killed server lasts, or the wait for a second try. Answers how many wait. */
async function minuteLater(): Promise<number> {
  const { dataSource } = await openDatabase(databaseUrl());
  const waiting = (await dataSource.query('SELECT id FROM rookery_jobs')) as unknown[];
  await dataSource.query('UPDATE rookery_jobs SET free_at = free_at - 60000');
  await dataSource.destroy();
  return waiting.length;
}

it('an undelivered webhook of Channels survives the kill of the server', async () => {
  receiver.reply('/hook', (response) => void response.writeHead(503).end());
  server = await start();
  const client = await SocketClient.connect(server.port, testApp);
  await client.subscribe('news');
  const [first] = await receiver.untilEvents('/hook', 1);
  await server.kill();
  expect(await minuteLater()).toBe(1);

  receiver.reply('/hook', (response) => void response.writeHead(200).end());
  const before = receiver.at('/hook').length;
  server = await start();
  await until(() => receiver.at('/hook').length > before, 'it comes again');
  expect(receiver.events('/hook').at(-1)).toEqual(first);
}, 60_000);
