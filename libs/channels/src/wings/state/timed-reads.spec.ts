import { expect, it } from 'vitest';
import { TimedReads } from './timed-reads.js';

it('runs so many at once, and the others in their order', async () => {
  const reads = new TimedReads(2, 60_000);
  const begun: number[] = [];
  const ends = [1, 2, 3, 4].map((number) => {
    let end = (): void => {};
    const ended = new Promise<number>((resolve) => void (end = () => resolve(number)));
    const done = reads.run('app', 'one', () => {
      begun.push(number);
      return ended;
    });
    return { done, end };
  });
  await Promise.resolve();
  expect(begun).toEqual([1, 2]);
  ends[1]!.end();
  expect(await ends[1]!.done).toBe(2);
  expect(begun).toEqual([1, 2, 3]);
  for (const { end } of ends) end();
  expect(await Promise.all(ends.map(({ done }) => done))).toEqual([1, 2, 3, 4]);
});

it('gives up work that takes too long, and what has waited for it too long', async () => {
  const reads = new TimedReads(1, 20);
  let hasBegun = false;
  const hanging = reads.run('app', 'one', () => new Promise(() => {}));
  const waiting = reads.run('app', 'one', async () => void (hasBegun = true));
  await Promise.all([
    expect(hanging).rejects.toThrow('not done within 20 ms'),
    expect(waiting).rejects.toThrow('not begun within 10 ms'),
  ]);
  expect(await reads.run('app', 'one', async () => 'next')).toBe('next');
  expect(hasBegun).toBe(false);
});

it('goes on after a failure', async () => {
  const reads = new TimedReads(1, 60_000);
  await expect(reads.run('app', 'one', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await reads.run('app', 'one', async () => 'next')).toBe('next');
});

it('takes turns: one that asks for little does not wait behind all that another asks for', async () => {
  const reads = new TimedReads(1, 60_000);
  const order: string[] = [];
  const work = (name: string) => reads.run('app', name[0]!, async () => void order.push(name));
  const many = Array.from({ length: 500 }, (_, n) => work(`a${n}`));
  await Promise.all([...many, work('b0'), work('b1')]);
  expect(order.indexOf('b0')).toBeLessThan(5);
  expect(order.indexOf('b1')).toBeLessThan(7);
  expect(order.filter((name) => name.startsWith('a'))).toEqual(many.map((_, n) => `a${n}`));
});
