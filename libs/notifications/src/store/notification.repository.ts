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
 * - `add` is durable when it settles; `within` a transaction of the host's, once that is committed, and it is not there if
 *   that is undone. A repository that can do no such thing throws. In the same step it withdraws what the new one takes the place of, and answers the
 *   ids: the unread notifications of this user with the same `collapseKey`. Of two that race, one is left.
 * - `shown`, `read` and `withdrawn` happen once; a second time changes nothing. What was shown, read or withdrawn before it
 *   was pushed is never due again. What was pushed and is read or withdrawn is due at once, where `withdraws` asks for it.
 * - `claim` answers up to `limit` notifications that are due, the first due first, and makes them the owner's until
 *   `now + leaseMs`; they are not answered to others in that time. A notification that is read or withdrawn is due to
 *   be withdrawn from devices, any other to be pushed.
 * - The fence: `push`, `withdraw`, `skip` and `postpone` change nothing where the owner does not have it any more.
 * - `push` publishes and says so in one step: of a process that dies, both are there or neither, where publishes are kept in
 *   the same database. More than `perHour` pushes of a user within an hour are `limited`: nothing is published, and it is
 *   said to be skipped. What cannot be published throws, and stays as it was. `withdraw` does the same, for once.
 * - `unread` counts those of a user that are neither read nor withdrawn. `feed` answers all but those whose place a newer one
 *   took, the newest first, before a place or from the start.
 * - `backlog` tells of those of all apps that are to be pushed or withdrawn, as they are at `now`.
 * - `appIds` names the apps that have any. `forget` deletes up to `limit` that are older and not due, and answers how many.
 * - `watch` has `wake` called when another process may have made something due, sooner or later or never: who works looks
 *   for itself as well. It answers how to end that.
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
