import { expect, it } from 'vitest';
import { KeyLimiter, type ClaimedWork } from './key-limiter.js';
import { KeyLimiters } from './key-limiters.js';

const most = 8;
let ids = 0;
const workOf = (share: string): ClaimedWork => ({
  job: { id: `${(ids += 1)}`, owner: 'app', key: share, dueAt: 0, data: '', state: '', claimId: 'claim' },
  share,
  leasedUntil: Infinity,
  startBy: Infinity,
});

/** Starts all that may run at once. */
function started(limiter: KeyLimiter): readonly ClaimedWork[] {
  const works: ClaimedWork[] = [];
  for (let next = limiter.start(0); next; next = limiter.start(0)) works.push(next);
  return works;
}

it.each([1, 2, 5])('gives a key all its runs again once it goes well, after trouble of %i runs', (bad) => {
  const limiter = new KeyLimiter(most);
  for (let n = 0; n < 200; n++) limiter.add(workOf('a'));
  for (let round = 0; round < 3; round++) {
    for (const work of started(limiter)) limiter.finish(work, true);
    for (let n = 0; n < bad; n++) {
      const [first, ...others] = started(limiter);
      for (const work of others) limiter.finish(work, true);
      limiter.finish(first!, false);
    }
    expect(limiter.isTroubled).toBe(true);
    const atOnce: number[] = [];
    while (atOnce.at(-1) !== most && atOnce.length < 2 * most) {
      const works = started(limiter);
      atOnce.push(works.length);
      for (const work of works) limiter.finish(work, true);
      expect(limiter.isTroubled).toBe(false);
    }
    // Each good run adds one.
    expect(atOnce).toEqual([1, 2, 4, most]);
  }
});

it('gives keys more than half of the runner again once they are out of trouble', () => {
  const limiters = new KeyLimiters(most, 1);
  const keys = Array.from({ length: most }, (_, n) => `key-${n}`);
  const addAll = (): void => {
    for (const key of keys) limiters.add(workOf(key));
  };
  addAll();
  for (const work of limiters.start(0)) limiters.finish(work, false);
  addAll();
  const half = limiters.start(0);
  expect(half).toHaveLength(most / 2);
  for (const work of half) limiters.finish(work, true);
  const others = limiters.start(0);
  for (const work of others) limiters.finish(work, true);
  addAll();
  expect(limiters.start(0)).toHaveLength(most);
  expect(limiters.room().limit).toBe(0);
});
