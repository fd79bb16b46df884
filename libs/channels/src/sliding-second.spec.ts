import { array, assert, integer, property } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SlidingSecond } from './sliding-second.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a sliding second', () => {
  it('admits up to its limit, and one more once the first is a second old', () => {
    const second = new SlidingSecond(2);
    expect(second.take()).toBe(true);
    vi.advanceTimersByTime(900);
    expect([second.take(), second.take()]).toEqual([true, false]);
    vi.advanceTimersByTime(100);
    expect([second.take(), second.take()]).toEqual([true, false]);
  });

  it('never admits more than its limit in any second', () => {
    assert(
      property(
        integer({ min: 1, max: 12 }),
        array(integer({ min: 0, max: 400 }), { maxLength: 100 }),
        (limit, pauses) => {
          const second = new SlidingSecond(limit);
          const times: number[] = [];
          for (const pause of pauses) {
            vi.advanceTimersByTime(pause);
            const now = performance.now();
            const within = times.filter((time) => time > now - 1000).length;
            expect(second.take()).toBe(within < limit);
            if (within < limit) times.push(now);
          }
        },
      ),
    );
  });

  it('admits everything without a limit, and nothing with a limit of 0', () => {
    const unlimited = new SlidingSecond(Infinity);
    expect(Array.from({ length: 1000 }, () => unlimited.take())).not.toContain(false);
    expect(new SlidingSecond(0).take()).toBe(false);
  });
});
