import type { Awaitable } from 'rookery/internal/common';

const soonestMs = 5;
const latestMs = 25;

/** Waits until `condition` holds; after the timeout, fails with `what`. The longer it waits, the less often it asks. */
export async function until(condition: () => Awaitable<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`waited in vain until ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs / 20, soonestMs), latestMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
