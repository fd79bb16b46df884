import type { Found } from 'rookery/common';
import type { HostTransaction, Within } from 'rookery/jobs';
import type { NewNotification, NotificationRecord } from './notification.js';

/** Publishes a notification's push, within the given transaction if there is one. */
export type Publishing = (within?: HostTransaction) => Promise<{ readonly publishId: string }>;

/** A read notification, and whether this was the first time. */
export interface ReadNotification {
  readonly userId: string;
  readonly isFirst: boolean;
}

/** A position in a user's notifications. */
export interface FeedPlace {
  readonly createdAt: number;
  readonly id: string;
}

/** The pushes and withdrawals that are due now or later. */
export interface NotificationBacklog {
  readonly notifications: number;
  /** When the first unclaimed one became due, in epoch milliseconds; absent if none is due. */
  readonly oldestDueAt?: number;
}

/**
 * The notifications of all users, until they are forgotten.
 *
 * - `add` is durable when it settles. With `within`, a transaction of the host's, the notification exists once that is
 *   committed, and never if it is rolled back; a repository that cannot do this throws. In the same step, `add`
 * withdraws
 *   the unread notifications of this user with the same `collapseKey`, and answers their ids. Of two concurrent calls,
 * one
 *   notification is left.
 * - `shown`, `read` and `withdrawn` take effect once; a repeat changes nothing. A notification that is shown, read or
 *   withdrawn before it was pushed is never due again. If it was pushed, and is then read or withdrawn, it is due at
 * once
 *   where `withdraws` is set.
 * - `claim` answers up to `limit` notifications that are due, the first due first, and makes them the owner's until
 *   `now + leaseMs`; they are not answered to others in that time. A notification that is read or withdrawn is due to
 *   be withdrawn from devices, any other to be pushed.
 * - The fence: `push`, `withdraw`, `skip` and `postpone` change nothing if the owner no longer holds the notification.
 * - `push` publishes and records that in one step: if publishes are kept in the same database, a crash leaves both or
 *   neither. Beyond `perHour` pushes to a user within an hour the answer is `limited`: nothing is published, and the
 *   notification is recorded as skipped. If publishing throws, nothing changes. `withdraw` likewise publishes a
 * withdrawal,
 *   once.
 * - `unread` counts a user's notifications that are neither read nor withdrawn. `feed` answers all but replaced ones,
 * the
 *   newest first, before a place or from the start.
 * - `backlog` counts the notifications of all apps that are to be pushed or withdrawn, as of `now`.
 * - `appIds` lists the apps that have notifications. `forget` deletes up to `limit` that are older and not due, and
 * answers
 *   how many.
 * - `watch` has `wake` called when another process may have made a notification due: soon, late or never, so workers
 * poll
 *   as well. It answers a function that ends the watch.
 */
export abstract class NotificationRepository {
  abstract add(notification: NewNotification, withdraws: boolean, within?: Within): Promise<readonly string[]>;
  abstract find(appId: string, id: string): Promise<Found<NotificationRecord>>;
  abstract shown(appId: string, id: string, now: number): Promise<void>;
  /** @returns the notification, or `undefined` or `null` if the app has no such notification */
  abstract read(appId: string, id: string, now: number, withdraws: boolean): Promise<Found<ReadNotification>>;
  abstract unread(appId: string, userId: string): Promise<number>;
  abstract feed(
    appId: string,
    userId: string,
    limit: number,
    before?: FeedPlace,
  ): Promise<readonly NotificationRecord[]>;
  abstract claim(owner: string, now: number, leaseMs: number, limit: number): Promise<readonly NotificationRecord[]>;
  abstract push(
    owner: string,
    id: string,
    now: number,
    perHour: number,
    publish: Publishing,
  ): Promise<'pushed' | 'limited' | 'lost'>;
  abstract withdraw(owner: string, id: string, publish?: Publishing): Promise<'withdrawn' | 'lost'>;
  abstract skip(owner: string, id: string, now: number): Promise<void>;
  abstract postpone(owner: string, id: string, dueAt: number): Promise<void>;
  abstract backlog(now: number): Promise<NotificationBacklog>;
  abstract appIds(): Promise<readonly string[]>;
  abstract forget(appId: string, before: number, limit: number): Promise<number>;
  /** By default not supported: `wake` is never called. */
  watch(_wake: () => void): () => Promise<void> {
    return async () => undefined;
  }
}
