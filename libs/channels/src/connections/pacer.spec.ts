import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pacer } from './pacer.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let begun = 0;
let rounds: Pacer;
beforeEach(() => {
  begun = 0;
  rounds = new Pacer(() => begun++);
});

function roundOf(milliseconds: number): void {
  rounds.want();
  rounds.started();
  vi.advanceTimersByTime(milliseconds);
  rounds.ended();
}

describe('paced rounds', () => {
  it('begin at once while they are short', () => {
    for (let round = 1; round <= 100; round++) {
      roundOf(0.2);
      expect(begun).toBe(round);
    }
  });

  it('rest after a long one, three times as long as it took, and take up all that came meanwhile', () => {
    roundOf(20);
    for (let i = 0; i < 50; i++) {
      rounds.want();
      vi.advanceTimersByTime(1);
    }
    expect(begun).toBe(1);
    vi.advanceTimersByTime(10);
    expect(begun).toBe(2);
  });

  it('wait for the round that is under way and for its rest', () => {
    rounds.want();
    rounds.started();
    rounds.want();
    vi.advanceTimersByTime(100);
    expect(begun).toBe(1);
    rounds.ended();
    vi.advanceTimersByTime(299);
    expect(begun).toBe(1);
    vi.advanceTimersByTime(1);
    expect(begun).toBe(2);
  });

  it('rest for a second at most', () => {
    roundOf(10_000);
    rounds.want();
    vi.advanceTimersByTime(1000);
    expect(begun).toBe(2);
  });

  it('rest only once, and begin at once after a silence', () => {
    roundOf(20);
    vi.advanceTimersByTime(60);
    rounds.want();
    expect(begun).toBe(2);
  });

  it('are taken for ended when they last, since the work of others hides their end', () => {
    rounds.want();
    rounds.started();
    vi.advanceTimersByTime(999);
    expect(rounds.isUnderWay).toBe(true);
    vi.advanceTimersByTime(1);
    expect(rounds.isUnderWay).toBe(false);
  });
});
