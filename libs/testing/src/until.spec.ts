import { expect, it } from 'vitest';
import { until } from './until.js';

it('asks until the condition holds', async () => {
  let asked = 0;
  await until(async () => ++asked === 10, 'it was asked often enough');
  expect(asked).toBe(10);
});

it('says what did not happen', async () => {
  await expect(until(() => false, 'pigs fly', 30)).rejects.toThrow('waited in vain until pigs fly');
});

it('counts what a condition takes', async () => {
  let asked = 0;
  const slow = () => new Promise<boolean>((resolve) => setTimeout(resolve, 50, ++asked < 0));
  await expect(until(slow, 'it is quick', 100)).rejects.toThrow('it is quick');
  expect(asked).toBeLessThanOrEqual(4);
});

it('asks again when the machine stood still while it waited for an answer', async () => {
  let asked = 0;
  const stalled = (): Promise<boolean> =>
    new Promise((resolve) => setTimeout(resolve, ++asked === 1 ? 300 : 0, asked === 3));
  await until(stalled, 'it was asked again', 200);
  expect(asked).toBe(3);
});

it('bears a machine that is busy with something else most of the time', async () => {
  let asked = 0;
  const stalled = (): boolean => {
    // The process sleeps through the pause that follows.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100));
    return ++asked === 20;
  };
  await until(stalled, 'it was asked often enough', 500);
  expect(asked).toBe(20);
});
