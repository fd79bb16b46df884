import type { Awaitable } from 'rookery/internal/common';

const soonestMs = 5;
const latestMs = 25;

/**
 * Waits until `condition` holds; after the timeout, fails with `what`. The longer it waits, the less often it asks. A machine
 * that is busy with something else prolongs both: a pause counts as no more than twice its length, and an answer as no more
 * than a quarter of the timeout.
 */
export async function until(condition: () => Awaitable<boolean>, what: string, timeoutMs = 30_000): Promise<void> {
  for (let waitedMs = 0; ;) {
    const askedAt = performance.now();
    if (await condition()) return;
    const answeredAt = performance.now();
    waitedMs += Math.min(answeredAt - askedAt, timeoutMs / 4);
    if (waitedMs > timeoutMs) throw new Error(`waited in vain until ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs / 20, soonestMs), latestMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    waitedMs += Math.min(performance.now() - answeredAt, 2 * pauseMs);
  }
}
