import type { Awaitable } from '../awaitable.js';

/** One webhook request that has to reach its endpoint: ready to send, its signature already in the headers. */
export interface WebhookDelivery {
  /** UUID, stable over the retries. */
  readonly id: string;
  /** The app or instance it belongs to. Nothing of one owner is ever sent with another's. */
  readonly owner: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes that were signed, as UTF-8 text. */
  readonly body: string;
  /** How long one try may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The waits before the tries that are left, in milliseconds; empty after the last. */
  readonly retryDelaysMs: readonly number[];
  /** When the next try is due, in epoch milliseconds. */
  readonly dueAt: number;
}

/**
 * The queue of webhook requests that are not delivered yet.
 *
 * - `add` answers when all deliveries are kept, or how many it had to drop because it is full. A delivery whose id
 *   is known already is left as it is: `add` may be called twice.
 * - `claim` hands out at most `limit` deliveries due at `now`, oldest first, that no other claim holds; each stays
 *   hidden from other claims until `leaseMs` have passed. Claiming is atomic: two callers never hold the same one.
 *   An empty answer means that nothing is due.
 * - `done` forgets a delivery; `retry` makes it due again at `dueAt` with the delays that are left. Both are
 *   harmless for an id that is gone.
 */
export abstract class WebhookOutbox {
  abstract add(deliveries: readonly WebhookDelivery[]): Awaitable<{ readonly dropped: number }>;
  abstract claim(now: number, limit: number, leaseMs: number): Awaitable<readonly WebhookDelivery[]>;
  abstract done(id: string): Awaitable<void>;
  abstract retry(id: string, dueAt: number, retryDelaysMs: readonly number[]): Awaitable<void>;
}
