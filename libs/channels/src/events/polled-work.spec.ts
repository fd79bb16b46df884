import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { PolledWork } from './polled-work.js';

const long = 3_600_000;
const never = () => async () => undefined;
const faults: unknown[] = [];
let work: PolledWork | undefined;
let ends: { done: () => void; fail: (error: Error) => void }[] = [];
afterEach(async () => {
  const stopped = work?.stop();
  for (const { done } of ends) done();
  await stopped;
  ends = [];
  faults.length = 0;
});

/** Work whose looks are ended by hand. */
function looks(pollMs: number, watch: Parameters<PolledWork['start']>[1] = never, attentiveMs = long) {
  work = new PolledWork(
    () => new Promise((done, fail) => void ends.push({ done, fail })),
    (error) => faults.push(error),
  );
  work.start(pollMs, watch, attentiveMs);
  return work;
}

it('runs at once, and again at each poll', async () => {
  looks(5);
  expect(ends).toHaveLength(1);
  ends[0]!.done();
  await until(() => ends.length === 2, 'it looks again');
});

it('runs when woken, and once more for all calls during a run', async () => {
  let tell = (): void => {};
  const waiting = looks(long, (wake) => {
    tell = wake;
    return never();
  });
  tell();
  tell();
  expect(ends).toHaveLength(1);
  ends[0]!.done();
  await until(() => ends.length === 2, 'it looks again');
  ends[1]!.done();
  await waiting.stop();
  expect(ends).toHaveLength(2);
});

it('looks at one of five polls while there is no work, and at each once there may be', async () => {
  vi.useFakeTimers();
  try {
    let tell = (): void => {};
    const looksBy = async (polls: number) => {
      const before = ends.length;
      for (let poll = 0; poll < polls; poll++) {
        await vi.advanceTimersByTimeAsync(1000);
        ends.at(-1)!.done();
        await vi.advanceTimersByTimeAsync(0);
      }
      return ends.length - before;
    };
    const watched = looks(
      1000,
      (wake) => {
        tell = wake;
        return never();
      },
      10_000,
    );
    ends[0]!.done();
    // It has not heard of others yet, and may never.
    expect(await looksBy(60)).toBe(60);
    tell();
    ends.at(-1)!.done();
    expect(await looksBy(10)).toBe(10);
    expect(await looksBy(50)).toBe(10);
    tell();
    ends.at(-1)!.done();
    expect(await looksBy(10)).toBe(10);
    await looksBy(50);
    watched.keepLooking();
    expect(await looksBy(10)).toBe(10);
    await watched.stop();
    looks(1000, () => undefined, 10_000);
    ends.at(-1)!.done();
    expect(await looksBy(60)).toBe(60);
  } finally {
    vi.useRealTimers();
  }
});

it('reports a failed run, and waits for the next poll even if woken meanwhile', async () => {
  const failing = looks(long);
  failing.wake();
  ends[0]!.fail(new Error('no database'));
  await until(() => faults.length === 1, 'it is told');
  expect(ends).toHaveLength(1);
  failing.wake();
  expect(ends).toHaveLength(2);
  ends[1]!.done();
});

it('stops after the run in progress', async () => {
  let isUnwatched = false;
  const stopping = looks(long, () => async () => void (isUnwatched = true));
  let isStopped = false;
  const stopped = stopping.stop().then(() => (isStopped = true));
  stopping.wake();
  await until(() => isUnwatched, 'it is unwatched');
  expect([isStopped, stopping.isOn]).toEqual([false, false]);
  ends[0]!.done();
  await stopped;
  expect(ends).toHaveLength(1);
});
