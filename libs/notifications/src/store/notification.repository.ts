import { type Found, isObject } from '#common';
import type { ClaimedJob, Job, JobStore, Within } from 'rookery/jobs';
import type { PreparedPublish, Publish } from 'rookery/publish';
import type { NewNotification, NotificationRecord } from './notification.js';

/** The publish of a notification's push or withdrawal, and the outbox to add it to. */
export interface NotificationPublish extends Pick<PreparedPublish, 'publish' | 'outbox'> {
  /** Absent: the publish carries no number of unread notifications. */
  readonly badge?: {
    readonly userId: string;
    /** The publish with the number of the user's unread notifications. */
    readonly add: (publish: Publish, unread: number) => Publish;
  };
}

/**
 * Which read or deleted notifications get the job of a withdrawal: none, those that were `pushed`, or `always` at least
 * one of them, so that devices get the new number of unread ones.
 */
export type Withdraws = 'never' | 'pushed' | 'always';

/** Those among read or deleted notifications that get the job of a withdrawal. */
export function withdrawnFromDevices<Read>(
  all: readonly Read[],
  withdraws: Withdraws,
  isPushed: (one: Read) => boolean,
): readonly Read[] {
  if (withdraws === 'never') return [];
  const pushed = all.filter(isPushed);
  return withdraws === 'always' && pushed.length === 0 ? all.slice(-1) : pushed;
}

/** A read notification, and whether this was the first time. */
export interface ReadNotification {
  readonly userId: string;
  readonly isFirst: boolean;
}

/** An unread notification that a newer one with the same key has replaced. */
export type ReplacedNotification = Pick<NewNotification, 'id' | 'userId'>;

/** A position in a user's notifications. */
export interface FeedCursor {
  readonly createdAt: number;
  readonly id: string;
}

/** What a withdrawal needs to know of its notification. */
export interface Withdrawal {
  readonly userId: string;
  /** Those that the notification had a push for. */
  readonly platforms: readonly string[];
}

/** The job of a notification that is to be pushed. */
export const notificationJob = ({ id, appId }: Pick<NewNotification, 'id' | 'appId'>, dueAt: number): Job => ({
  id,
  owner: appId,
  key: id,
  dueAt,
  data: '',
  state: '',
});

/** How long the withdrawals of a user are collected, in milliseconds: devices get those of that time in one push. */
export const collectMs = 3000;

/** The job of a notification that was withdrawn at `now`; a user's have the same key. */
export const withdrawalJob = (
  notification: Pick<NewNotification, 'id' | 'appId' | 'userId' | 'push'>,
  now: number,
): Job => ({
  ...notificationJob(notification, now + collectMs),
  key: `withdrawals ${JSON.stringify([notification.appId, notification.userId])}`,
  data: withdrawalFor(notification),
});

export const withdrawalFor = ({ userId, push = {} }: Pick<NewNotification, 'userId' | 'push'>): Withdrawal => ({
  userId,
  platforms: Object.keys(push),
});

/** What the job withdraws; undefined if it is a push. */
export const withdrawalIn = ({ data }: Pick<Job, 'data'>): Withdrawal | undefined =>
  isObject(data) ? (data as unknown as Withdrawal) : undefined; // `withdrawalJob` wrote it.

/**
 * The notifications of all users, until they are forgotten.
 *
 * - `jobs` holds a job for each notification that is to be pushed, or withdrawn from devices: see `notificationJob` and
 *   `withdrawalJob`. Each method changes a notification and its job in one transaction.
 * - `add` stores a notification for several users: `notifications` differ only by `id` and `userId`, each user's once. All
 *   are durable when it settles, each with a job due at `pushAt` if there is one, or none. With `within`, a transaction
 *   of the host's, they exist once that is committed, and never if it is rolled back; a repository that cannot do this
 *   throws. In the same step, `add` withdraws the unread notifications of these users with the same `collapseKey`, and
 *   returns them. Of two concurrent calls, one notification of a user is left.
 * - `shown`, `read` and `withdrawn` take effect once; a repeat changes nothing. A notification that is shown, read or
 *   withdrawn before it was pushed loses its job, also a claimed one. If it was pushed, and is then read or withdrawn, it
 *   gets the job of a withdrawal, as `withdraws` says. In `add`, `always` is the same as `pushed`.
 * - `readAll` does as `read` for the user's notifications of up to `now` that are neither read nor withdrawn, at most
 *   `limit` of them, and returns their ids.
 * - `delete` removes a notification, whatever its state. If it was not withdrawn before, its job is as after `read`; the
 *   job of an earlier withdrawal stays. `deleteAll` does the same for the user's notifications of up to `now`, at most
 *   `limit` of them, and returns their ids.
 * - The fence: `push`, `withdraw` and `skip` change nothing if the claim no longer holds the job. All end the job.
 * - `push` adds the publish to its outbox and records that in one step: if both are in the same database, a crash leaves
 *   both or neither. Beyond `perHour` pushes to a user within an hour it returns `limited`: nothing is published, and the
 *   notification is recorded as skipped, as by `skip`. If adding throws, nothing changes. `withdraw` likewise adds the
 *   publish of a withdrawal, once, and ends the jobs of the `others` that it withdraws too. `skip` of a withdrawal only
 *   ends its job.
 * - `withdrawals` returns up to `limit` other jobs of the same key as a withdrawal, claimed or not, those due first.
 * - `push` and `withdraw` count the unread notifications for a `badge` in the same transaction.
 * - `unread` counts a user's notifications that are neither read nor withdrawn. `feed` returns all but replaced ones, the
 *   newest first, before a place or from the start, or with `isUnread` only those that `unread` counts. `latest` returns
 *   those of all users, with replaced ones, likewise.
 * - `appIds` lists the apps that have notifications. `forget` deletes up to `limit` that are older and have no job, and
 *   returns how many.
 */
export abstract class NotificationRepository {
  abstract readonly jobs: JobStore;
  abstract add(
    notifications: readonly NewNotification[],
    withdraws: Withdraws,
    within?: Within,
  ): Promise<readonly ReplacedNotification[]>;
  abstract find(appId: string, id: string): Promise<Found<NotificationRecord>>;
  abstract shown(appId: string, id: string, now: number): Promise<void>;
  /** @returns the notification, or `undefined` or `null` if the app has no such notification */
  abstract read(appId: string, id: string, now: number, withdraws: Withdraws): Promise<Found<ReadNotification>>;
  abstract readAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Promise<readonly string[]>;
  /** @returns whose it was, or `undefined` or `null` if the app has no such notification */
  abstract delete(
    appId: string,
    id: string,
    now: number,
    withdraws: Withdraws,
  ): Promise<Found<Pick<ReadNotification, 'userId'>>>;
  abstract deleteAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Promise<readonly string[]>;
  abstract unread(appId: string, userId: string): Promise<number>;
  abstract feed(
    appId: string,
    userId: string,
    limit: number,
    before?: FeedCursor,
    isUnread?: boolean,
  ): Promise<readonly NotificationRecord[]>;
  abstract latest(appId: string, limit: number, before?: FeedCursor): Promise<readonly NotificationRecord[]>;
  abstract push(
    job: ClaimedJob,
    now: number,
    perHour: number,
    publish: NotificationPublish,
  ): Promise<'pushed' | 'limited' | 'lost'>;
  abstract withdrawals(job: ClaimedJob, limit: number): Promise<readonly Job[]>;
  /** @param others the ids of jobs that {@link withdrawals} has returned */
  abstract withdraw(
    job: ClaimedJob,
    publish: NotificationPublish,
    others?: readonly string[],
  ): Promise<'withdrawn' | 'lost'>;
  abstract skip(job: ClaimedJob, now: number): Promise<void>;
  abstract appIds(): Promise<readonly string[]>;
  abstract forget(appId: string, before: number, limit: number): Promise<number>;
}
