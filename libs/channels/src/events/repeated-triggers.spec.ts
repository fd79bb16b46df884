import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settingsOf, Unavailable } from '#common';
import type { App } from '../app/app.js';
import { InProcessBroker } from '../broker/in-process.broker.js';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { MemoryIdempotencyKeys } from '../storage/memory-idempotency.keys.js';
import { KeptBytes } from './kept-bytes.js';
import { RepeatedTriggers } from './repeated-triggers.js';

const app = { id: '1' } as App;
const kept = (limits = {}) =>
  new KeptBytes(settingsOf(ChannelsSettings, { limits }), new ChannelsMetrics(), new InProcessBroker());
const dayMs = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('RepeatedTriggers', () => {
  it('remembers for 24 hours', async () => {
    const repeated = new RepeatedTriggers(new MemoryIdempotencyKeys(), kept());
    let done = 0;
    const once = () => repeated.once(app, 'key', {}, async () => ++done);
    expect([await once(), await once()]).toEqual([1, 1]);
    vi.advanceTimersByTime(dayMs - 1);
    expect(await once()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await once()).toBe(2);
  });

  it('performs concurrent repeats once, and answers all of them', async () => {
    const repeated = new RepeatedTriggers(new MemoryIdempotencyKeys(), kept());
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

  it('lets the next request try if the first fails', async () => {
    const repeated = new RepeatedTriggers(new MemoryIdempotencyKeys(), kept());
    await expect(repeated.once(app, 'key', {}, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await repeated.once(app, 'key', {}, async () => 2)).toBe(2);
  });

  it('answers a performed request even if the answer cannot be stored', async () => {
    const keys = new MemoryIdempotencyKeys();
    vi.spyOn(keys, 'answer').mockImplementation(() => {
      throw new Error('full');
    });
    expect(await new RepeatedTriggers(keys, kept()).once(app, 'key', {}, async () => 1)).toBe(1);
  });

  /** What keeps the keys goes away with the next claim or trigger, for seven seconds: what it was told is done, but not answered. */
  function outage(keys: MemoryIdempotencyKeys): () => void {
    const release = keys.release.bind(keys);
    const fails = vi.spyOn(keys, 'release').mockImplementation(() => {
      throw new Unavailable('Redis');
    });
    setTimeout(() => fails.mockImplementation(release), 7000);
    return () => {
      throw new Unavailable('Redis');
    };
  }

  it('does not keep a repeat waiting for a claim whose answer was lost', async () => {
    const keys = new MemoryIdempotencyKeys();
    const repeated = new RepeatedTriggers(keys, kept());
    const once = () => repeated.once(app, 'key', {}, async () => 1);
    const claim = keys.claim.bind(keys);
    vi.spyOn(keys, 'claim').mockImplementationOnce((request) => {
      claim(request);
      return outage(keys)() as never;
    });
    await expect(once()).rejects.toThrow(Unavailable);
    const answer = once();
    await vi.advanceTimersByTimeAsync(8000);
    expect(await answer).toBe(1);
  });

  it('does not keep a repeat waiting for one that failed and could not release its claim', async () => {
    const keys = new MemoryIdempotencyKeys();
    const repeated = new RepeatedTriggers(keys, kept());
    await expect(repeated.once(app, 'key', {}, async () => outage(keys)())).rejects.toThrow(Unavailable);
    const answer = repeated.once(app, 'key', {}, async () => 2);
    await vi.advanceTimersByTimeAsync(8000);
    expect(await answer).toBe(2);
  });

  it('retries very many failed releases in time, and gives up expired claims', async () => {
    const keys = new MemoryIdempotencyKeys();
    const repeated = new RepeatedTriggers(keys, kept());
    const fail = outage(keys);
    await Promise.allSettled(
      Array.from({ length: 1000 }, (_, n) => repeated.once(app, `key-${n}`, {}, async () => fail())),
    );
    const tries = vi.mocked(keys.release).mock.calls.length;
    await vi.advanceTimersByTimeAsync(5000);
    // A hundred each half second, however many they are.
    expect(vi.mocked(keys.release).mock.calls.length - tries).toBeLessThanOrEqual(1100);
    await vi.advanceTimersByTimeAsync(3000);
    expect(await repeated.once(app, 'key-999', {}, async () => 3)).toBe(3);

    vi.mocked(keys.release).mockImplementation(() => fail());
    await expect(repeated.once(app, 'other', {}, async () => fail())).rejects.toThrow(Unavailable);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
