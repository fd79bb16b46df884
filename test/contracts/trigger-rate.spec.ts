import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryTriggerRate, type TriggerRate } from 'rookery/channels';
import { describeTriggerRate } from 'rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryTriggerRate', () => {
  describeTriggerRate(() => new MemoryTriggerRate());
});

class MixesApps extends MemoryTriggerRate {
  override take(_appId: string, limit: number, events: number): boolean {
    return super.take('same', limit, events);
  }
}
class CountsRequests extends MemoryTriggerRate {
  override take(appId: string, limit: number, events: number): boolean {
    return super.take(appId, limit, Math.min(1, events));
  }
}
/** So that one second and the next have twice the limit where they meet. */
class CountsByTheClock implements TriggerRate {
  private second = -1;
  private taken = 0;
  take(_appId: string, limit: number, events: number): boolean {
    const second = Math.floor((performance.now() + 500) / 1000);
    if (second !== this.second) [this.second, this.taken] = [second, 0];
    if (this.taken + Math.min(events, limit) > limit || limit === 0) return false;
    this.taken += Math.min(events, limit);
    return true;
  }
}
class LetsNobodyBack extends MemoryTriggerRate {
  private taken = 0;
  override take(_appId: string, limit: number, events: number): boolean {
    this.taken += events;
    return this.taken <= limit;
  }
}
class CountsLate implements TriggerRate {
  private taken = 0;
  async take(_appId: string, limit: number): Promise<boolean> {
    const { taken } = this;
    await Promise.resolve();
    this.taken = taken + 1;
    return taken < limit;
  }
}

describe('the contract of TriggerRate rejects an implementation that', () => {
  // What is waited for in vain is over at once.
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const anySecond = 'never lets through more in any second than the limit, and as many where they come fast enough';

  it.each([
    [MixesApps, 'counts each app on its own'],
    [CountsRequests, 'takes all of several events or none, and more than the limit as the limit'],
    [CountsByTheClock, anySecond],
    [LetsNobodyBack, anySecond],
    [CountsLate, 'counts events that race'],
  ])('%o: %s', async (Broken, promise) => {
    const broken = brokenPromises(describeTriggerRate, () => new Broken(), promise);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await broken).toEqual([promise]);
  });
});
