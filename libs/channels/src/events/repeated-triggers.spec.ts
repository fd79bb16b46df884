import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../access/app.js';
import { MemoryIdempotencyKeys } from '../storage/memory-idempotency.keys.js';
import { RepeatedTriggers } from './repeated-triggers.js';

const app = { id: '1' } as App;
const dayMs = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('RepeatedTriggers', () => {
  it('remembers for 24 hours', async () => {
    const repeated = new RepeatedTriggers(new MemoryIdempotencyKeys());
    let done = 0;
    const once = () => repeated.once(app, 'key', {}, async () => ++done);
    expect([await once(), await once()]).toEqual([1, 1]);
    vi.advanceTimersByTime(dayMs - 1);
    expect(await once()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await once()).toBe(2);
  });

  it('does once what many ask for at the same time, and answers them all', async () => {
    const repeated = new RepeatedTriggers(new MemoryIdempotencyKeys());
    let finish: (answer: object) => void = () => {};
    let done = 0;
    const once = () =>
      repeated.once(app, 'key', {}, () => {
        done++;
        return new Promise<object>((resolve) => (finish = resolve));
      });
    const all = Promise.all([once(), once(), once()]);
    await vi.advanceTimersByTimeAsync(1000);
    finish({ answer: 1 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await all).toEqual([{ answer: 1 }, { answer: 1 }, { answer: 1 }]);
    expect(done).toBe(1);
  });

  it('lets the next try, when the first fails', async () => {
    const repeated = new RepeatedTriggers(new MemoryIdempotencyKeys());
    await expect(repeated.once(app, 'key', {}, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await repeated.once(app, 'key', {}, async () => 2)).toBe(2);
  });

  it('answers what was done, also where that cannot be remembered', async () => {
    const keys = new MemoryIdempotencyKeys();
    vi.spyOn(keys, 'answer').mockImplementation(() => {
      throw new Error('full');
    });
    expect(await new RepeatedTriggers(keys).once(app, 'key', {}, async () => 1)).toBe(1);
  });
});
