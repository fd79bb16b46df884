import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { Random } from '../support/random.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildModules } from '../support/server-process.js';
import { StreamReader } from '../support/stream-readers.js';
import { channelOf, textOf } from '../support/stream-texts.mjs';
import { StreamingProcess, type StreamStore } from '../support/streaming-process.js';
import { until } from '../support/until.js';

const count = 1000;
const all = Array.from({ length: count }, (_, n) => n);

describeRedis('1,000 streams of three processes on one Redis', () => {
  stories(async () => {
    const redis = await TestRedis.start();
    return { store: { url: redis.url, kind: 'redis' }, stop: () => redis.stop() };
  });
});

describePostgres('1,000 streams of three processes on one PostgreSQL', () => {
  stories(async () => ({ store: { url: await newPostgresDatabase(), kind: 'postgres' }, stop: async () => {} }));
});

/** @param share - starts what they share */
function stories(share: () => Promise<{ store: StreamStore; stop: () => Promise<void> }>): void {
  let stop: () => Promise<void>;
  let ports: number[];
  let processes: StreamingProcess[];
  const readers: StreamReader[] = [];
  beforeAll(() => buildModules(), 180_000);
  // Not before all: each attempt begins anew.
  beforeEach(async () => {
    const shared = await share();
    stop = shared.stop;
    ports = [await freePort(), await freePort(), await freePort()];
    processes = await StreamingProcess.startThree(shared.store, ports, 'texts');
  }, 180_000);
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.stop();
    await Promise.all(processes.map((each) => each.kill()));
    await stop();
  });

  it('are the same for all readers, byte for byte, when one process is killed in the middle', async () => {
    const random = new Random(Number(process.env['SEED'] ?? 7));
    const add = () => {
      const from = random.below(100);
      const channels = Array.from({ length: 10 }, (_, n) => `chat-${(from + n) % 100}`);
      readers.push(new StreamReader(ports, channels, random));
    };
    for (let n = 0; n < 15; n++) add();
    for (const each of processes) each.begin();
    const roam = async (milliseconds: number) => {
      for (const end = performance.now() + milliseconds; performance.now() < end;) {
        await delay(20);
        const choice = random.weighted({ add: 1, cut: 6, reload: 3, none: 8 });
        if (choice === 'add' && readers.length < 40) add();
        if (choice === 'cut') random.of(readers).cut();
        if (choice === 'reload') random.of(readers).reload();
      }
    };
    const heardAny = () =>
      readers.some(({ heard }) => [...heard].some(([id, { text }]) => Number(id) < 400 && text.length > 50));
    await until(heardAny, 'streams of the first process are heard', 120_000);
    await roam(1000);
    await processes[0]!.kill();
    await roam(2000);
    for (const each of processes.slice(1)) await each.says('done');
    add();

    const ended = (id: number) =>
      readers.every(({ channels, heard }) => !channels.includes(channelOf(id)) || heard.get(String(id))?.end);
    const begun = all.filter((id) => id >= 400 || readers.some(({ heard }) => heard.has(String(id))));
    await until(() => begun.every(ended), 'all streams have ended for all', 120_000);
    const ends = { done: 0, timeout: 0, error: 0 };
    for (const id of begun) {
      const listeners = readers.filter(({ channels }) => channels.includes(channelOf(id)));
      const heard = listeners.map((reader) => reader.heard.get(String(id))!);
      if (!heard[0]) continue;
      ends[heard[0].end!] += 1;
      for (const each of heard) expect(each).toEqual(heard[0]);
      const { end, text } = heard[0];
      expect(text).toBe(end === 'done' ? textOf(id) : textOf(id).slice(0, text.length));
      expect(id >= 400 ? end : 'done').toBe('done');
    }
    for (const { faults } of readers) expect(faults).toEqual([]);
    expect(ends).toMatchObject({ done: expect.any(Number), error: 0 });
    expect(ends.timeout).toBeGreaterThan(20);
  }, 300_000);
}
