import type { Awaitable } from 'rookery/common';

/** Waits until `condition` holds; fails with `what` when it does not within the time. */
export async function until(condition: () => Awaitable<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
