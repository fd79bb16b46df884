import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { Unavailable } from '#common';
import { type Item, RpcLink } from './rpc-link.js';

interface Sums {
  add(a: number, b: number): number;
  later(text: string): Promise<string>;
  fail(why: string): never;
  away(): Promise<never>;
  nothing(): void;
}

/** Two links, each the other's other side, and the batches that went from the first to the second. */
function pair() {
  const batches: (readonly Item[])[] = [];
  const wire = (items: readonly Item[]): readonly Item[] => JSON.parse(JSON.stringify(items)) as readonly Item[];
  const there: RpcLink = new RpcLink((items) => here.take(wire(items)));
  const here: RpcLink = new RpcLink((items) => {
    batches.push(items);
    there.take(wire(items));
  });
  there.serve('sums', {
    add: (a, b) => a + b,
    later: async (text) => `${text}!`,
    fail: (why) => {
      throw new Error(why);
    },
    away: () => Promise.reject(new Unavailable('The database')),
    nothing: () => {},
  } satisfies Sums);
  return { here, batches, sums: here.remote<Sums>('sums') };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('matches answers to calls in any order', async () => {
  const { sums } = pair();
  expect(await Promise.all([sums.later('a'), sums.add(1, 2), sums.nothing(), sums.later('b')])).toEqual([
    'a!',
    3,
    undefined,
    'b!',
  ]);
});

it('sends all calls of one event loop turn as one message', async () => {
  const { sums, batches } = pair();
  await Promise.all(Array.from({ length: 100 }, (_, n) => sums.add(n, n)));
  expect(batches).toHaveLength(1);
});

it('passes on a failure, also that of an unknown service', async () => {
  const { sums, here } = pair();
  await expect(sums.fail('no sum')).rejects.toThrow('no sum');
  await expect(here.remote<Sums>('others').add(1, 2)).rejects.toThrow('no service is named others');
  await expect(here.call('sums', 'valueOf', [])).rejects.toThrow('sums does not serve valueOf');
});

it('passes on that something is unavailable', async () => {
  const failure = await pair()
    .sums.away()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Unavailable);
  expect(String(failure)).toContain('The database cannot be reached');
});

it('fails a call after its timeout, and ignores a late answer', async () => {
  vi.useFakeTimers();
  const link = new RpcLink(() => {}, { answerMs: 5000 });
  const failure = link
    .remote<Sums>('sums')
    .add(1, 2)
    .catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await failure).toBeInstanceOf(Unavailable);
  link.take([[-1, 3]]);
});

it('fails waiting and later calls when the other side is gone', async () => {
  const { sums, here, batches } = pair();
  const waiting = sums.add(1, 2);
  here.close();
  await expect(waiting).rejects.toThrow(Unavailable);
  await expect(sums.add(1, 2)).rejects.toThrow(Unavailable);
  expect(batches).toEqual([]);
});

it('drops what is neither a call nor an answer, and serves on', async () => {
  vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const { sums, here } = pair();
  const answer = sums.later('a');
  for (const hostile of [
    7,
    null,
    'text',
    {},
    [7],
    [null],
    [[]],
    [['1', 'sums', 'add', []]],
    [[1, 'sums', 'add', null]],
  ])
    here.take(hostile);
  here.take([[-1, null, 7]]);
  expect(Logger.prototype.error).toHaveBeenCalledTimes(10);
  expect(await answer).toBe('a!');
});
