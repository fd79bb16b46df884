import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../access/app.js';
import { RepeatedTriggers } from './repeated-triggers.js';

const app = { id: '1' } as App;
const dayMs = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('RepeatedTriggers', () => {
  it('remembers for 24 hours', async () => {
    const repeated = new RepeatedTriggers();
    let done = 0;
    const once = () => repeated.once(app, 'key', {}, async () => ++done);
    expect([await once(), await once()]).toEqual([1, 1]);
    vi.advanceTimersByTime(dayMs - 1);
    expect(await once()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await once()).toBe(2);
  });

  it('forgets the oldest where an app has more keys than are kept', async () => {
    const repeated = new RepeatedTriggers();
    let done = 0;
    const once = (key: string) => repeated.once(app, key, {}, async () => ++done);
    for (let i = 0; i < 100_000; i++) await once(String(i));
    expect(await once('99999')).toBe(100_000);
    await once('one more');
    expect(await once('0')).toBe(100_002);
  });
});
