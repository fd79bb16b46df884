import type { Awaitable } from '../awaitable.js';
import type { DeadLetter, DeadLetterLimits, FreshTries } from './dead-letter.js';
import type { WebhookDelivery } from './webhook-delivery.js';

/** What a sender has room for. */
export interface WebhookClaim {
  /** The name of this claim, never used for another one. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** At most so many deliveries in all … */
  readonly limit: number;
  /** … at most so many of one endpoint … */
  readonly perEndpoint: number;
  /** … and none of these endpoints, which are busy enough already. */
  readonly busy: ReadonlySet<string>;
  /** How long the deliveries stay hidden from other claims, in milliseconds. */
  readonly leaseMs: number;
}

/** What is not delivered yet. */
export interface WebhookBacklog {
  /** Those under way and those that wait for another try included. */
  readonly webhooks: number;
  /** When the first unclaimed one became due, in epoch milliseconds; absent if none is due. */
  readonly oldestDueAt?: number;
}

/** How many webhooks one `buryBeyond` buries at most. */
export const buriedAtOnce = 500;

/**
 * The queue of webhook requests that are not delivered yet. Every delivery is sent at least once, rarely twice.
 *
 * - `add` answers when all deliveries are kept, or how many it had to drop because it is full: not always those that
 *   came last, for the endpoint with the longest queue should lose, not its neighbour. A delivery whose id is known
 *   already is left as it is: `add` may be called twice.
 * - `claim` hands out deliveries that are due at `now`, the earliest due first, in the order of `add` when equally due.
 *   No other claim gets them until `leaseMs` have passed. Claiming is atomic: two callers never hold the same one.
 *   However long the queue of a busy endpoint is, the others are found. It may hand out fewer than there are: the
 *   answer is empty only when nothing is due outside the busy endpoints.
 * - `close` says that its sender has stopped for good: what is left waits for another process, or is lost and told so.
 * - `done` forgets a delivery; `retry` ends its lease and makes it due at `dueAt` with the delays that are left. Both name
 *   the claim that handed it out, which is the fence: they change nothing when another claim has the delivery by now, or
 *   when it is gone.
 * - `bury` gives a delivery up, fenced in the same way: it leaves the queue and is kept as a dead letter of its owner, in
 *   place of an earlier one of its id. The owner's oldest go beyond `most`, and those that died more than `keepMs` before
 *   this one; those of other owners go then or later.
 * - `deadLetters` answers at most `limit` of an owner whose place is after `after`, in the order of their places.
 * - `backlog` tells of what is in the queue at `now`.
 * - `buryBeyond` makes room in a queue that holds more than `most`: it buries the earliest due of the endpoint with the
 *   most in it, as `bury` does, as many as are too many, at most half of that endpoint's and `buriedAtOnce`, and none that
 *   a claim holds. It answers how many, 0 where there is nothing more to bury, and is called again until then.
 * - `resend` puts those of the named that are dead letters of the owner back into the queue, with fresh tries and nothing
 *   else changed, and answers how many: a letter goes back once, however many ask.
 */
export abstract class WebhookOutbox {
  abstract add(deliveries: readonly WebhookDelivery[]): Awaitable<{ readonly dropped: number }>;
  abstract claim(claim: WebhookClaim): Awaitable<readonly WebhookDelivery[]>;
  abstract done(id: string, claimId: string): Awaitable<void>;
  abstract retry(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): Awaitable<void>;
  abstract bury(
    id: string,
    claimId: string,
    death: Omit<DeadLetter, 'delivery'>,
    limits: DeadLetterLimits,
  ): Awaitable<void>;
  abstract deadLetters(owner: string, after: string, limit: number): Awaitable<readonly DeadLetter[]>;
  abstract backlog(now: number): Awaitable<WebhookBacklog>;
  abstract buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): Awaitable<number>;
  abstract resend(owner: string, ids: readonly string[], tries: FreshTries): Awaitable<number>;
  close(): Awaitable<void> {}
}
