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

describe('the pacer', () => {
  it('begins rounds at once while they are short', () => {
    for (let round = 1; round <= 100; round++) {
      roundOf(0.2);
      expect(begun).toBe(round);
    }
  });

  it('pauses three times as long as a long round took, and then handles everything that arrived', () => {
    roundOf(20);
    for (let i = 0; i < 50; i++) {
      rounds.want();
      vi.advanceTimersByTime(1);
    }
    expect(begun).toBe(1);
    vi.advanceTimersByTime(10);
    expect(begun).toBe(2);
  });

  it('waits for the round in progress and its pause', () => {
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

  it('pauses for a second at most', () => {
    roundOf(10_000);
    rounds.want();
    vi.advanceTimersByTime(1000);
    expect(begun).toBe(2);
  });

  it('pauses only once, and begins at once after an idle time', () => {
    roundOf(20);
    vi.advanceTimersByTime(60);
    rounds.want();
    expect(begun).toBe(2);
  });

  it('treats a very long round as ended, because other work hides its end', () => {
    rounds.want();
    rounds.started();
    vi.advanceTimersByTime(999);
    expect(rounds.isUnderWay).toBe(true);
    vi.advanceTimersByTime(1);
    expect(rounds.isUnderWay).toBe(false);
  });
});
