import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from './test-clock.js';

const hour = 3_600_000;

describe('TestClock', () => {
  let clock: TestClock;
  let said: string[];
  const say = (word: string) => () => void said.push(word);
  beforeEach(() => {
    clock = TestClock.install();
    said = [];
  });
  afterEach(() => clock.uninstall());

  it('lets time run normally', async () => {
    const [date, time] = [Date.now(), performance.now()];
    await expect.poll(() => Date.now()).toBeGreaterThan(date);
    expect(performance.now()).toBeGreaterThan(time);
  });

  it('advances dates and durations', async () => {
    const [date, time] = [Date.now(), performance.now()];
    await clock.advance(hour);
    expect(Date.now()).toBeGreaterThanOrEqual(date + hour - 1);
    expect(new Date().getTime()).toBeGreaterThanOrEqual(date + hour - 1);
    expect(Date.parse(Date())).toBeGreaterThanOrEqual(date + hour - 1001);
    expect(performance.now()).toBeGreaterThanOrEqual(time + hour);
    expect(new Date(5).getTime()).toBe(5);
    expect(new Date()).toBeInstanceOf(Date);
    expect(Date.UTC(1970, 0, 2)).toBe(86_400_000);
  });

  it('fires timers at their time and in order, also those that others start', async () => {
    const times: number[] = [];
    const began = Date.now();
    setTimeout(say('third'), 3000);
    setTimeout(() => {
      said.push('first');
      setTimeout(say('second'), 1000);
      times.push(Date.now() - began);
    }, 1500);
    setTimeout(say('never'), hour);
    await clock.advance(4000);
    expect(said).toEqual(['first', 'second', 'third']);
    expect(times[0]).toBeGreaterThanOrEqual(1499);
    expect(times[0]).toBeLessThan(2500);
  });

  it('skips a week in which little happens in no more steps than its events need', async () => {
    const began = Date.now();
    const days: number[] = [];
    const interval = setInterval(() => days.push(Math.round((Date.now() - began) / (24 * hour))), 24 * hour);
    await clock.advance(7 * 24 * hour);
    clearInterval(interval);
    expect(days).toEqual(Array.from({ length: 7 }, (_, index) => index + 1));
  });

  it('fires an interval each time, until it is cleared, also within its own call', async () => {
    let count = 0;
    const interval = setInterval(() => {
      if (++count === 5) clearInterval(interval);
    }, 1000);
    await clock.advance(60_000);
    expect(count).toBe(5);
  });

  it('supports the features of Node’s timers', async () => {
    const cleared = setTimeout(say('cleared'), 1000);
    clearTimeout(cleared);
    clearTimeout(undefined);
    const closed = setTimeout(say('closed'), 1000);
    closed.close();
    setTimeout((...given: string[]) => said.push(...given), 1000, 'given', 'too');
    const unreferenced = setTimeout(say('unreferenced'), 1000).unref();
    expect([unreferenced.hasRef(), setTimeout(say('referenced'), 1000).hasRef()]).toEqual([false, true]);
    const refreshed = setTimeout(say('refreshed'), 1000);
    await clock.advance(900);
    refreshed.refresh();
    await clock.advance(900);
    expect(said).toEqual(['given', 'too', 'unreferenced', 'referenced']);
    await clock.advance(200);
    expect(said.at(-1)).toBe('refreshed');
    const slept = promisify(setTimeout)(60_000, 'slept');
    await clock.advance(61_000);
    expect(await slept).toBe('slept');
  });

  it('fires timers in real time once they are close', async () => {
    setTimeout(say('near'), 60_000);
    await clock.advance(59_990);
    await expect.poll(() => said).toEqual(['near']);
  });

  it("lets a timer's messages be answered before the next fires", async () => {
    const ask = async (word: string): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      said.push(word);
    };
    setTimeout(() => void ask('answer'), 1000);
    setTimeout(say('next'), 1001);
    await clock.advance(2000);
    expect(said).toEqual(['answer', 'next']);
  });

  it('is shared by all installers, until the last has removed it', () => {
    const other = TestClock.install();
    expect(other).toBe(clock);
    const moved = Date;
    other.uninstall();
    expect(Date).toBe(moved);
    clock.uninstall();
    expect(Date).not.toBe(moved);
    clock.uninstall();
    clock = TestClock.install();
  });

  it('leaves earlier timers to Node, and fires its own after it is removed', async () => {
    clock.uninstall();
    const before = setTimeout(say('before'), 10);
    clock = TestClock.install();
    clearTimeout(before);
    setTimeout(say('after'), 30);
    clock.uninstall();
    await expect.poll(() => said).toEqual(['after']);
    clock = TestClock.install();
  });

  it('lets its timers be cleared after it is removed, and after another clock replaces it', async () => {
    const [timeout, interval] = [setTimeout(say('timeout'), 20), setInterval(say('interval'), 20)];
    const later = setTimeout(say('later'), 20);
    clock.uninstall();
    clearTimeout(timeout);
    clearInterval(interval);
    clock = TestClock.install();
    clock.uninstall();
    clearTimeout(later);
    // Later than any of them would have fired.
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(said).toEqual([]);
    clock = TestClock.install();
  });
});
