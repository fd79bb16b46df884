import { afterEach, beforeEach, vi } from 'vitest';

/** When each story begins, in epoch milliseconds. */
export const startedAt = 1_700_000_000_000;

/** In the stories of a file, time passes only when they say so; what waits for a turn of the event loop goes on. */
export function fakeTime(): void {
  beforeEach(() => {
    const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const;
    vi.useFakeTimers({ now: startedAt, toFake: [...toFake] });
  });
  afterEach(() => void vi.useRealTimers());
}
