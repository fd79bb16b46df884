import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { Unavailable } from 'rookery/internal/common';
import { type Item, linkService, RpcLink } from './rpc-link.js';

interface Sums {
  add(a: number, b: number): number;
  later(text: string): Promise<string>;
  fail(why: string): never;
  away(): Promise<never>;
  nothing(): void;
}

const sums = linkService<Sums>('sums');

/** Two links, each the other's other side, and the batches that went from the first to the second. */
function pair() {
  const batches: (readonly Item[])[] = [];
  const wire = (items: readonly Item[]): readonly Item[] => JSON.parse(JSON.stringify(items)) as readonly Item[];
  const there: RpcLink = new RpcLink((items) => here.take(wire(items)));
  const here: RpcLink = new RpcLink((items) => {
    batches.push(items);
    there.take(wire(items));
  });
  there.serve(sums, {
    add: (a, b) => a + b,
    later: async (text) => `${text}!`,
    fail: (why) => {
      throw new Error(why);
    },
    away: () => Promise.reject(new Unavailable('The database')),
    nothing: () => {},
  });
  return { here, batches };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('matches answers to calls in any order', async () => {
  const { here } = pair();
  const answers = [
    here.call(sums, 'later', 'a'),
    here.call(sums, 'add', 1, 2),
    here.call(sums, 'nothing'),
    here.call(sums, 'later', 'b'),
  ];
  expect(await Promise.all(answers)).toEqual(['a!', 3, undefined, 'b!']);
});

it('sends all calls of one event loop turn as one message', async () => {
  const { here, batches } = pair();
  await Promise.all(Array.from({ length: 100 }, (_, n) => here.call(sums, 'add', n, n)));
  expect(batches).toHaveLength(1);
});

it('passes on a failure, also that of an unknown service', async () => {
  const { here } = pair();
  await expect(here.call(sums, 'fail', 'no sum')).rejects.toThrow('no sum');
  await expect(here.call(linkService<Sums>('others'), 'add', 1, 2)).rejects.toThrow('no service is named others');
  await expect(here.request('sums', 'valueOf', [])).rejects.toThrow('sums does not serve valueOf');
});

it('passes on that something is unavailable', async () => {
  const failure = await pair()
    .here.call(sums, 'away')
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Unavailable);
  expect(String(failure)).toContain('The database cannot be reached');
});

it('fails a call after its timeout, and ignores a late answer', async () => {
  vi.useFakeTimers();
  const link = new RpcLink(() => {}, { answerMs: 5000 });
  const failure = link.call(sums, 'add', 1, 2).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await failure).toBeInstanceOf(Unavailable);
  link.take([[-1, 3]]);
});

it('fails waiting and later calls when the other side is gone', async () => {
  const { here, batches } = pair();
  const waiting = here.call(sums, 'add', 1, 2);
  here.close();
  await expect(waiting).rejects.toThrow(Unavailable);
  await expect(here.call(sums, 'add', 1, 2)).rejects.toThrow(Unavailable);
  expect(batches).toEqual([]);
});

it('drops what is neither a call nor an answer, and serves on', async () => {
  vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const { here } = pair();
  const answer = here.call(sums, 'later', 'a');
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
