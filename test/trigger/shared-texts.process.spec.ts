import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from 'rookery/internal/typeorm';
import { rookery } from '../support/command-line.js';
import { testApp } from '../support/channels-server.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';

const long = 'x'.repeat(10_000);
const channels = Array.from({ length: 20 }, (_, n) => `cache-${n}`);
const timed = { timeout: 120_000 };

let folder: string;
let environment: Readonly<Record<string, string>>;
let running: ServerProcess | undefined;
beforeAll(buildServer, 180_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-shared-texts-'));
  const config = join(folder, 'rookery.json');
  writeFileSync(config, JSON.stringify({ apps: [testApp] }));
  environment = { CONFIG_FILE: config, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` };
});
afterEach(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true });
});

/** @returns its port */
async function start(more: Readonly<Record<string, string>> = {}): Promise<number> {
  running = await ServerProcess.start({ ...environment, ...more });
  return Number(new URL(running.url).port);
}

async function stop(): Promise<void> {
  expect(await running?.stop()).toBe(0);
}

async function trigger(port: number, names: string[], data: string): Promise<void> {
  const { id: appId, key, secret } = testApp;
  await new Pusher({ appId, key, secret, host: '127.0.0.1', port: String(port) }).trigger(names, 'e', data);
}

/** What a new subscriber of each channel is sent, each by a connection of its own: any worker may take it. */
const lastEvents = (port: number): Promise<unknown[]> =>
  Promise.all(
    channels.map(async (channel) => {
      const client = await SocketClient.connect(port);
      await client.subscribe(channel);
      const { data } = await client.next('e');
      client.close();
      return data;
    }),
  );

async function rowsOf(table: string): Promise<number> {
  const database = await openDatabase(environment['DATABASE_URL']!);
  const [row] = await database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM rookery_${table}`);
  await database.dataSource.destroy();
  return row!.n;
}

it('two workers keep the text of a trigger once, and each sends it on every channel', timed, async () => {
  const port = await start({ WORKERS: '2' });
  await trigger(port, channels, long);
  expect(await lastEvents(port)).toEqual(channels.map(() => long));
  expect([await rowsOf('shared_texts'), await rowsOf('remembered_events')]).toEqual([1, channels.length]);
});

it('a backup has the text of a trigger, and every channel has it again after a restore', timed, async () => {
  let port = await start();
  await trigger(port, channels, long);
  const backup = join(folder, 'backup.db');
  expect((await rookery(['backup', backup], environment)).code).toBe(0);
  await trigger(port, channels, 'newer');
  expect(await lastEvents(port)).toEqual(channels.map(() => 'newer'));
  await stop();
  expect((await rookery(['restore', backup], environment)).code).toBe(0);
  port = await start();
  expect(await lastEvents(port)).toEqual(channels.map(() => long));
});
