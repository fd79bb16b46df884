import type { Awaitable } from 'rookery/internal/common';

const soonestMs = 5;
const latestMs = 25;

/**
 * Waits until `condition` holds; after the timeout, fails with `what`. The longer it waits, the less often it asks. A pause
 * that the machine prolongs, as it is busy with something else, counts as no more than twice its length.
 */
export async function until(condition: () => Awaitable<boolean>, what: string, timeoutMs = 30_000): Promise<void> {
  for (let waitedMs = 0; ;) {
    const askedAt = performance.now();
    if (await condition()) return;
    const answeredAt = performance.now();
    waitedMs += answeredAt - askedAt;
    if (waitedMs > timeoutMs) throw new Error(`waited in vain until ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs / 20, soonestMs), latestMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    waitedMs += Math.min(performance.now() - answeredAt, 2 * pauseMs);
  }
}
