import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Charts } from '../../libs/console/src/contract/index.js';
import { preload } from '../support/node-options.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const app = { id: 'app-id', key: 'app-key', secret: 'app-secret' };
const password = 'correct horse battery staple';

let folder: string;
const ending: (() => unknown)[] = [];
beforeAll(() => buildServer(), 180_000);
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'rookery-charts-'))));
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  rmSync(folder, { recursive: true });
});

/** A server whose clock is so far ahead, and on which a minute passes at SIGUSR2. */
async function start(aheadMinutes: number): Promise<ServerProcess> {
  const server = await ServerProcess.start({
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    CONSOLE_PASSWORD: password,
    NODE_OPTIONS: preload(join(import.meta.dirname, '../support/minutes-on-signal.cjs')),
    AHEAD_MINUTES: String(aheadMinutes),
  });
  ending.push(() => server.kill());
  return server;
}

type Figures = Readonly<Record<string, number>>;

/** The minutes of the last day that have figures, oldest first. */
async function day(server: ServerProcess): Promise<readonly (readonly [minute: number, Figures])[]> {
  const answer = await fetch(`${server.url}/console/api/charts/day`, {
    headers: { authorization: `Bearer ${password}` },
  });
  const { series, until: end } = (await answer.json()) as Charts;
  const names = Object.keys(series);
  const steps = series['connections']!;
  return steps.flatMap((connections, n) => {
    const minute = end / 60_000 - steps.length + n;
    return connections === null ? [] : [[minute, Object.fromEntries(names.map((name) => [name, series[name]![n]!]))]];
  });
}

/** A client that hears of some events, and a minute that ends after them. */
async function busyMinute(server: ServerProcess, events: number): Promise<void> {
  const before = (await day(server)).length;
  const client = await SocketClient.connect(server.port, app);
  ending.push(() => client.close());
  await client.subscribe('news');
  const pusher = new Pusher({
    appId: app.id,
    key: app.key,
    secret: app.secret,
    host: '127.0.0.1',
    port: `${server.port}`,
  });
  for (let n = 0; n < events; n++) await pusher.trigger('news', 'tick', n);
  server.signal('SIGUSR2');
  await until(async () => (await day(server)).length > before, 'the minute is kept');
}

const eventsIn = (minutes: Awaited<ReturnType<typeof day>>): number =>
  Math.round(minutes.reduce((sum, [, { triggers = 0 }]) => sum + triggers, 0) * 60);

it('charts the day before a restart and before a kill, minute by minute', { timeout: 120_000 }, async () => {
  const first = await start(0);
  await busyMinute(first, 12);
  const ofFirst = await day(first);
  expect(eventsIn(ofFirst)).toBeGreaterThan(0);
  expect(await first.stop()).toBe(0);

  const second = await start(4);
  expect(await day(second)).toEqual(ofFirst);
  await busyMinute(second, 6);
  const ofBoth = await day(second);
  expect(ofBoth.slice(0, ofFirst.length)).toEqual(ofFirst);
  expect(eventsIn(ofBoth)).toBeGreaterThan(eventsIn(ofFirst));
  await second.kill();

  const third = await start(8);
  expect(await day(third)).toEqual(ofBoth);
});
