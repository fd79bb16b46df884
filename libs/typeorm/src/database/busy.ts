import { setTimeout as sleep } from 'node:timers/promises';
import { resultOf } from './sqlite-result.js';

/** How long statements wait for other connections before they give up. */
export const patienceMs = 30_000;

export const isBusy = (error: unknown): boolean => resultOf(error) === 'busy';

/** Retries a statement while another process holds the file, without blocking this process. */
export async function whenFree<T>(attempt: () => T): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await sleep(Math.random() * 10);
  }
}
