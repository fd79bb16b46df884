import type { Awaitable } from '#common';

/** Waits until `condition` holds; after the timeout, fails with `what`. */
export async function until(condition: () => Awaitable<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
