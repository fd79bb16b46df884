import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sweeps } from './sweeps.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('sweeps at one of several intervals while there is nothing, and at each once there was something', async () => {
  let found: readonly (boolean | 'done')[] = [];
  let count = 0;
  const sweeps = new Sweeps(async () => found[count++] ?? false, 1000, new Logger('Storage'), 'Not swept', {
    whenIdle: 5,
  });
  const sweptBy = async (seconds: number) => {
    count = 0;
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    return count;
  };
  sweeps.start();
  await sweptBy(1);
  expect(await sweptBy(20)).toBe(4);
  found = [true, true, 'done'];
  await sweptBy(5);
  expect(count).toBe(3);
  found = ['done', 'done', 'done'];
  expect(await sweptBy(4)).toBe(4);
  found = [];
  expect(await sweptBy(20)).toBe(4);
  await sweeps.stop();
  expect(await sweptBy(20)).toBe(0);
});
