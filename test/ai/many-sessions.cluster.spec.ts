import { readUIMessageStream, type UIMessage } from 'ai';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { partsOf } from '../support/ai-parts.mjs';
import { freePort } from '../support/free-port.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { Random } from '../support/random.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildModules } from '../support/server-process.js';
import { StreamReader } from '../support/stream-readers.js';
import { channelOf } from '../support/stream-texts.mjs';
import { StreamingProcess, type StreamStore } from '../support/streaming-process.js';
import { until } from '../support/until.js';

const count = 1000;
const all = Array.from({ length: count }, (_, n) => n);
const linesOf = (stream: number) => partsOf(stream).map((part) => JSON.stringify(part));

describeRedis('1,000 AI sessions of three processes on one Redis', () => {
  stories(async () => {
    const redis = await TestRedis.start();
    return { store: { url: redis.url, kind: 'redis' }, stop: () => redis.stop() };
  });
});

describePostgres('1,000 AI sessions of three processes on one PostgreSQL', () => {
  stories(async () => ({ store: { url: await newPostgresDatabase(), kind: 'postgres' }, stop: async () => {} }));
});

/** @param share - starts what they share */
function stories(share: () => Promise<{ store: StreamStore; stop: () => Promise<void> }>): void {
  let stop: () => Promise<void>;
  let ports: number[];
  let processes: StreamingProcess[];
  const readers: StreamReader[] = [];
  beforeAll(() => buildModules(), 180_000);
  beforeEach(async () => {
    const shared = await share();
    stop = shared.stop;
    ports = [await freePort(), await freePort(), await freePort()];
    processes = await StreamingProcess.startThree(shared.store, ports, 'parts');
  }, 180_000);
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.stop();
    await Promise.all(processes.map((each) => each.kill()));
    await stop();
  });

  it('bring the same parts to all, byte for byte, though pages are cut off and a process is killed', async () => {
    const random = new Random(Number(process.env['SEED'] ?? 7));
    const add = (from = random.below(100), channels = 10) =>
      readers.push(
        new StreamReader(
          ports,
          Array.from({ length: channels }, (_, n) => `chat-${(from + n) % 100}`),
          random,
        ),
      );
    for (let n = 0; n < 14; n++) add(n * 7);
    for (const each of processes) each.begin();
    const roam = async (milliseconds: number) => {
      for (const end = performance.now() + milliseconds; performance.now() < end;) {
        await delay(20);
        const choice = random.weighted({ add: 1, cut: 6, reload: 3, none: 8 });
        if (choice === 'add' && readers.length < 30) add();
        if (choice === 'cut') random.of(readers).cut();
        if (choice === 'reload') random.of(readers).reload();
      }
    };
    const isHeard = () =>
      readers.some(({ heard }) => [...heard].some(([id, { text }]) => Number(id) < 400 && text.includes('data-')));
    await until(isHeard, 'streams of the first process are heard', 120_000);
    await roam(1000);
    await processes[0]!.kill();
    await roam(2000);
    for (const each of processes.slice(1)) await each.says('done');
    add(0, 100);

    const hearing = (id: number) => readers.filter(({ channels }) => channels.includes(channelOf(id)));
    const begun = all.filter((id) => id >= 400 || readers.some(({ heard }) => heard.has(String(id))));
    const haveEnded = () => begun.every((id) => hearing(id).every(({ heard }) => heard.get(String(id))?.end));
    await until(haveEnded, 'all have ended for all', 120_000);
    const ends = { done: 0, timeout: 0, error: 0 };
    for (const id of begun) {
      const [first, ...others] = hearing(id).map(({ heard }) => heard.get(String(id))!);
      ends[first!.end!] += 1;
      for (const each of others) expect(each).toEqual(first);
      const lines = first!.text.split('\n').slice(0, -1);
      expect(lines).toEqual(linesOf(id).slice(0, lines.length));
      expect(lines.length).toBeGreaterThanOrEqual(id >= 400 ? linesOf(id).length : 0);
    }
    expect(begun.length).toBeGreaterThanOrEqual(600);
    for (const { faults } of readers) expect(faults).toEqual([]);
    expect(ends.error).toBe(0);
    expect(ends.timeout).toBeGreaterThan(20);

    // The AI SDK puts together from them what it does from its own.
    const last = readers.at(-1)!;
    const lines = last.heard.get('999')!.text.split('\n').slice(0, -1);
    const [read, own] = await Promise.all([
      messageOf(lines.map((line) => JSON.parse(line) as never)),
      messageOf(partsOf(999) as never[]),
    ]);
    expect(read).toEqual(own);
    expect(own?.parts.length).toBeGreaterThan(4);
  }, 300_000);
}

async function messageOf(chunks: readonly never[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return last;
}
