import { expect, it, vi } from 'vitest';
import { MemoryConsoleStore, settingsOf, ThisNode, type TraceBlock } from 'rookery/internal/common';
import { ConsoleSettings } from '../console.options.js';
import { Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';
import { type ReadBlock, TraceArchive } from './trace-archive.js';

/** Keeps blocks, the latest first, unless it is away. */
class Store extends MemoryConsoleStore {
  override readonly keepsTraces = true;
  readonly blocks: TraceBlock[] = [];
  isAway = false;
  override async keepTrace(block: TraceBlock): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.blocks.unshift(block);
  }
  override async traceBlocks(before: TraceBlock | undefined, limit: number): Promise<readonly TraceBlock[]> {
    const from = before ? this.blocks.findIndex(({ until }) => until === before.until) + 1 : 0;
    return this.blocks.slice(from, from + limit);
  }
}

function archive(traceBytes = 1024 * 1024) {
  const node = new ThisNode();
  const trace = new Trace(settingsOf(ConsoleSettings, { traceBytes }));
  const store = new Store();
  const kept = new TraceArchive(trace, new TraceAnswers(trace, node), store, node);
  const subscribe = (socketId: string, count = 1): void => {
    for (let n = 0; n < count; n++) trace.add({ appId: 'shop', kind: 'subscribed', socketId, channel: `c-${n}` }, n);
  };
  return { kept, store, subscribe };
}

async function blocks(kept: TraceArchive, ...words: string[]): Promise<readonly ReadBlock[]> {
  const found: ReadBlock[] = [];
  for await (const block of kept.blocks(words)) found.push(block);
  return found;
}

it('what was recorded is stored once, and found by the words in it', async () => {
  const { kept, subscribe } = archive();
  subscribe('1.1');
  subscribe('1.12');
  await kept.keep();
  await kept.keep();
  subscribe('1.1');
  await kept.keep();
  const found = await blocks(kept, '1.1');
  expect(found.map(({ lines, hasGap }) => [lines.length, hasGap])).toEqual([
    [1, false],
    [1, false],
  ]);
  expect(found[0]!.since).toBeGreaterThanOrEqual(found[1]!.until);
  expect(found[0]!.lines).toMatchObject([
    { appId: 'shop', step: { activity: { kind: 'subscribed', socketId: '1.1' } } },
  ]);
});

it('a process that records nothing stores once a minute that it runs', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const { kept, store } = archive();
  for (let second = 0; second <= 130; second += 5) {
    vi.setSystemTime(second * 1000);
    await kept.keep();
  }
  vi.useRealTimers();
  expect(store.blocks.map(({ until }) => until)).toEqual([120_000, 60_000]);
  expect((await blocks(kept, '')).map(({ lines }) => lines)).toEqual([[], []]);
});

it('reads more blocks than a page has', async () => {
  const { kept, subscribe } = archive();
  for (let n = 0; n < 45; n++) {
    subscribe(`${n}.1`);
    await kept.keep();
  }
  expect(await blocks(kept, '0.1')).toHaveLength(45);
  expect((await blocks(kept, '0.1')).flatMap(({ lines }) => lines)).toHaveLength(1);
});

it('a block says if something before it is missing', async () => {
  const { kept, store, subscribe } = archive();
  subscribe('1.1');
  store.isAway = true;
  await kept.keep();
  store.isAway = false;
  subscribe('1.2');
  await kept.keep();
  subscribe('1.3');
  await kept.keep();
  expect(store.blocks.map(({ hasGap }) => hasGap)).toEqual([false, true]);
});

it('so does one after more than are stored at a time', async () => {
  const { kept, store, subscribe } = archive(64 * 1024 * 1024);
  subscribe('1.1', 5000);
  await kept.keep();
  subscribe('1.2', 5001);
  await kept.keep();
  expect(store.blocks.map(({ hasGap }) => hasGap)).toEqual([true, false]);
  const [latest] = await blocks(kept, 'c-5000');
  expect(latest!.lines).toMatchObject([{ step: { activity: { socketId: '1.2' } } }]);
  // Of the time before its first step, it lacks some.
  expect(latest!.since).toBe(1);
});

it('so does one whose process has recorded more than it keeps', async () => {
  const { kept, store, subscribe } = archive(64 * 1024);
  subscribe('1.1');
  await kept.keep();
  subscribe('1.2', 200);
  await kept.keep();
  expect(store.blocks.map(({ hasGap }) => hasGap)).toEqual([true, false]);
});
