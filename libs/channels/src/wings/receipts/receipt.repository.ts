import type { Awaitable } from '#common';

/** A user's client has received an event, or shown it. */
export interface NewReceipt {
  readonly appId: string;
  /** Of the event. */
  readonly receipt: string;
  readonly userId: string;
  /** Whether the page has shown it, and not only received it. */
  readonly isShown: boolean;
  /** When, in epoch milliseconds. */
  readonly at: number;
  /** For how long the event's receipts are kept from now on, in milliseconds. */
  readonly keepMs: number;
}

/** What is known of one user and one event, in epoch milliseconds. */
export interface UserReceipt {
  readonly userId: string;
  readonly receivedAt: number;
  readonly shownAt?: number;
}

/**
 * Which users have received events, shared by all processes.
 *
 * - `add` keeps the first time of each kind, and answers for each receipt, in order, whether it is news. A user who has
 *   shown an event has received it, at the latest then. At most `maxUsers` users of an event are kept: those beyond are
 *   no news.
 * - `find` answers the first `limit` users of an event after the id `after`, ordered by their ids as JavaScript compares
 *   texts; none for an event that is unknown or forgotten.
 */
export abstract class ReceiptRepository {
  abstract add(receipts: readonly NewReceipt[], maxUsers: number): Awaitable<readonly boolean[]>;
  abstract find(appId: string, receipt: string, limit: number, after?: string): Awaitable<readonly UserReceipt[]>;
}

/** A page of an event's users, from all of them. */
export function pageOf(users: readonly UserReceipt[], limit: number, after?: string): readonly UserReceipt[] {
  const rest = after === undefined ? users : users.filter(({ userId }) => userId > after);
  return rest.toSorted((one, other) => (one.userId < other.userId ? -1 : 1)).slice(0, limit);
}
