import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { Random } from '../support/random.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { StreamReader } from '../support/stream-readers.js';
import { channelOf, piecesOf, textOf } from '../support/stream-texts.mjs';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

const streams = Array.from({ length: 10 }, (_, n) => n);
const folder = mkdtempSync(join(tmpdir(), 'rookery-streams-'));
const ending: (() => unknown)[] = [];
beforeAll(() => buildServer(), 180_000);
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  rmSync(folder, { recursive: true });
});

it('plain triggers stream through the workers of a server, of which one is killed', async () => {
  const config = join(folder, 'config.json');
  const app = { ...testApp, history: [{ channels: 'chat-*', streams: true }] };
  writeFileSync(config, JSON.stringify({ apps: [app] }));
  const environment = { CONFIG_FILE: config, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, WORKERS: '2' };
  const server = await ServerProcess.start(environment);
  ending.push(() => server.kill());
  const random = new Random(7);
  const readers: StreamReader[] = [];
  const add = () => {
    const reader = new StreamReader([server.port], streams.map(channelOf), random);
    readers.push(reader);
    ending.push(() => reader.stop());
  };
  for (let n = 0; n < 6; n++) add();

  const pusher = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(server.port) });
  /** A server that gets no answer asks again. */
  const append = async (stream: number, data: object): Promise<void> => {
    for (;;)
      try {
        return void (await pusher.trigger(channelOf(stream), 'answer', { stream: String(stream), ...data }));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
  };
  let isKilled = false;
  await Promise.all(
    streams.map(async (stream) => {
      let at = 0;
      for (const text of piecesOf(stream)) {
        await append(stream, { at, text });
        at += text.length;
        random.of(readers).cut();
        if (random.below(4) === 0) random.of(readers).reload();
        if (isKilled || at < 100) continue;
        isKilled = true;
        process.kill(server.children[0]!, 'SIGKILL');
      }
      await append(stream, { at: 0, text: textOf(stream), end: 'done' });
    }),
  );
  add();
  const haveEnded = ({ heard }: StreamReader) => streams.every((stream) => heard.get(String(stream))?.end === 'done');
  await until(() => readers.every(haveEnded), 'all streams have ended');
  expect(isKilled).toBe(true);
  for (const { heard, faults } of readers) {
    for (const stream of streams) expect(heard.get(String(stream))!.text).toBe(textOf(stream));
    expect(faults).toEqual([]);
  }
});
