import { setTimeout as delay } from 'node:timers/promises';

/** Statuses that tell the caller to try again. */
const temporary: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);

/**
 * Repeats a request until it is answered 200, also over broken connections, as a client with an Idempotency-Key may.
 *
 * @param repeated answers after which it is repeated
 * @throws Error when it is refused
 */
export async function retried<Answer extends { readonly status: number; readonly text: string }>(
  ask: () => Promise<Answer>,
  repeated = temporary,
): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer?.status === 200) return answer;
    if (answer && !repeated.has(answer.status)) throw new Error(`${answer.status}: ${answer.text}`);
    await delay(20);
  }
}
