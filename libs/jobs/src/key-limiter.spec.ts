import { expect, it } from 'vitest';
import { KeyLimiter, type ClaimedWork } from './key-limiter.js';
import { KeyLimiters } from './key-limiters.js';

const most = 8;
let ids = 0;
const workOf = (share: string, more: Partial<ClaimedWork> = {}): ClaimedWork => ({
  job: { id: `${(ids += 1)}`, owner: 'app', key: share, dueAt: 0, data: '', state: '', claimId: 'claim' },
  share,
  leasedUntil: Infinity,
  startBy: Infinity,
  ...more,
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

it('is full once a job waits for its turn, or it has as many as may run', () => {
  const limiter = new KeyLimiter(3);
  const isFullWith = (...works: ClaimedWork[]): boolean => {
    for (const work of works) limiter.add(work);
    return limiter.isFull;
  };
  expect([isFullWith(), isFullWith(workOf('a'))]).toEqual([false, false]);
  const [first] = started(limiter);
  expect([isFullWith(), isFullWith(workOf('a'))]).toEqual([false, true]);
  limiter.finish(first!, true);
  expect([limiter.isFull, started(limiter).length, limiter.isFull]).toEqual([false, 1, false]);
  expect(isFullWith(workOf('a'))).toBe(false);
  expect([started(limiter).length, isFullWith(), isFullWith(workOf('a'))]).toEqual([1, false, true]);
  expect(new KeyLimiter(0).isFull).toBe(true);
});

it('starts first runs of a sequence one after another, the others beside them', () => {
  const limiter = new KeyLimiter(most);
  limiter.add(workOf('a'));
  limiter.finish(started(limiter)[0]!, true);
  const [first, second, other] = ['x', 'x', 'y'].map((sequence) => workOf('a', { sequence }));
  for (const work of [first!, second!, other!]) limiter.add(work);
  expect(started(limiter)).toEqual([first, other]);
  limiter.finish(other!, true);
  expect(started(limiter)).toEqual([]);
  limiter.finish(first!, true);
  expect(started(limiter)).toEqual([second]);
  for (const work of [workOf('a'), workOf('a')]) limiter.add(work);
  expect(started(limiter)).toHaveLength(2);
});

it('leaves a job to the next claim once its run could outlast this one', () => {
  const limiter = new KeyLimiter(most);
  limiter.add(workOf('a', { startBy: 9 }));
  limiter.add(workOf('a', { startBy: 10 }));
  expect(limiter.start(10)).toMatchObject({ startBy: 10 });
  expect([limiter.isIdle, limiter.start(10), limiter.release()]).toEqual([false, undefined, []]);
});

it('starts no more than may run at once, and names the keys that should get no more', () => {
  const limiters = new KeyLimiters(2, 2);
  for (const key of ['a', 'a', 'b', 'c']) limiters.add(workOf(key));
  const [a, b] = limiters.start(0);
  expect([a?.share, b?.share, limiters.start(0)]).toEqual(['a', 'b', []]);
  expect(limiters.room()).toEqual({ limit: 0, perKey: 2, busy: new Set(['a']) });
  limiters.finish(a!, true);
  expect(limiters.start(0).map(({ share }) => share)).toEqual(['a']);
});

it('never forgets a key with a running job, however many come after it', () => {
  const limiters = new KeyLimiters(2000, 2);
  limiters.add(workOf('running'));
  const [running] = limiters.start(0);
  for (let n = 0; n < 1500; n++) {
    limiters.add(workOf(`key ${n}`));
    for (const work of limiters.start(0)) limiters.finish(work, true);
  }
  limiters.finish(running!, true);
  expect(limiters.room().limit).toBe(2000);
});
