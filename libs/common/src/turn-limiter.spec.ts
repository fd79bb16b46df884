import { expect, it } from 'vitest';
import { TurnLimiter } from './turn-limiter.js';

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

it('admits its limit in each turn of the event loop, in order', async () => {
  const turns = new TurnLimiter(2);
  const passed: number[] = [];
  const pass = async (n: number) => {
    await turns.next();
    passed.push(n);
  };
  const all = [1, 2, 3, 4, 5].map(pass);
  await Promise.resolve();
  expect(passed).toEqual([1, 2]);
  await turnOfTheLoop();
  expect(passed).toEqual([1, 2, 3, 4]);
  await Promise.all(all);
  expect(passed).toEqual([1, 2, 3, 4, 5]);
});

it('admits the next calls at once if none waits', async () => {
  const turns = new TurnLimiter(1);
  expect(turns.next()).toBeUndefined();
  await turnOfTheLoop();
  await turnOfTheLoop();
  expect(turns.next()).toBeUndefined();
});
