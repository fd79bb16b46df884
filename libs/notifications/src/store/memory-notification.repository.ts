import { type ClaimedJob, type Job, MemoryJobStore, noTransaction, type Within } from 'rookery/jobs';
import { Injectable } from '@nestjs/common';
import type { Publish } from 'rookery/publish';
import type { NewNotification, NotificationRecord } from './notification.js';
import {
  type FeedCursor,
  notificationJob,
  type NotificationPublish,
  NotificationRepository,
  type ReadNotification,
  type ReplacedNotification,
  withdrawalJob,
  withdrawnFromDevices,
  type Withdraws,
} from './notification.repository.js';
import { change, isUnread, type StoredNotification, StoredNotifications } from './stored-notifications.js';

const hourMs = 3_600_000;

/** In memory: for one process; notifications are lost on restart. */
@Injectable()
export class MemoryNotificationRepository extends NotificationRepository {
  readonly jobs = new MemoryJobStore({ maxBytes: Infinity });
  private readonly stored = new StoredNotifications();

  async add(
    notifications: readonly NewNotification[],
    withdraws: Withdraws,
    within?: Within,
  ): Promise<readonly ReplacedNotification[]> {
    if (within)
      throw noTransaction(
        'NotificationsModule',
        'NotificationsModule.forRoot({ notificationRepository: TypeOrmNotificationRepository })',
      );
    const replaced = notifications.flatMap(({ appId, userId, collapseKey }) =>
      collapseKey === undefined ? [] : this.stored.unreadOf(appId, userId).filter(isOf(collapseKey)),
    );
    const [{ createdAt } = { createdAt: 0 }] = notifications;
    this.withdrawn(replaced, { withdrawnAt: createdAt }, withdraws === 'always' ? 'pushed' : withdraws);
    for (const notification of notifications) {
      this.stored.add(notification);
      const { pushAt } = notification;
      if (pushAt !== undefined) this.jobs.adding([notificationJob(notification, pushAt)]);
    }
    return replaced.map(({ record: { id, userId } }) => ({ id, userId }));
  }

  async appIds(): Promise<readonly string[]> {
    return [...new Set(Array.from(this.stored.all(), ({ record }) => record.appId))];
  }

  async find(appId: string, id: string): Promise<NotificationRecord | undefined> {
    return this.stored.find(appId, id)?.record;
  }

  async shown(appId: string, id: string, now: number): Promise<void> {
    const entry = this.stored.find(appId, id);
    if (!entry || entry.record.shownAt !== undefined) return;
    const { publishId, withdrawnAt } = entry.record;
    change(entry, { shownAt: now });
    if (publishId === undefined && withdrawnAt === undefined) this.jobs.forget(id);
  }

  async read(appId: string, id: string, now: number, withdraws: Withdraws): Promise<ReadNotification | undefined> {
    const entry = this.stored.find(appId, id);
    if (!entry) return undefined;
    const { userId, readAt, withdrawnAt } = entry.record;
    if (readAt === undefined && withdrawnAt !== undefined) change(entry, { readAt: now });
    if (readAt === undefined && withdrawnAt === undefined)
      this.withdrawn([entry], { readAt: now, withdrawnAt: now }, withdraws);
    return { userId, isFirst: readAt === undefined };
  }

  async readAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Promise<readonly string[]> {
    const unread = this.stored
      .unreadOf(appId, userId)
      .filter(({ record }) => record.createdAt <= now)
      .slice(0, limit);
    this.withdrawn(unread, { readAt: now, withdrawnAt: now }, withdraws);
    return unread.map(({ record }) => record.id);
  }

  async delete(appId: string, id: string, now: number, withdraws: Withdraws) {
    const entry = this.stored.find(appId, id);
    if (!entry) return undefined;
    this.deleted([entry], now, withdraws);
    return { userId: entry.record.userId };
  }

  async deleteAll(
    appId: string,
    userId: string,
    now: number,
    limit: number,
    withdraws: Withdraws,
  ): Promise<readonly string[]> {
    const all = this.stored.of(appId, userId).filter(({ record }) => record.createdAt <= now);
    const gone = all.slice(0, limit);
    this.deleted(gone, now, withdraws);
    return gone.map(({ record }) => record.id);
  }

  async unread(appId: string, userId: string): Promise<number> {
    return this.stored.unreadOf(appId, userId).length;
  }

  async feed(
    appId: string,
    userId: string,
    limit: number,
    before?: FeedCursor,
    isUnread = false,
  ): Promise<readonly NotificationRecord[]> {
    return this.stored
      .of(appId, userId)
      .map(({ record }) => record)
      .filter((record) => record.withdrawnAt === undefined || (record.readAt !== undefined && !isUnread))
      .filter((record) => !before || byPlace(record, before) < 0)
      .toSorted((a, b) => byPlace(b, a))
      .slice(0, limit);
  }

  async latest(appId: string, limit: number, before?: FeedCursor): Promise<readonly NotificationRecord[]> {
    return Array.from(this.stored.all(), ({ record }) => record)
      .filter((record) => record.appId === appId && (!before || byPlace(record, before) < 0))
      .toSorted((a, b) => byPlace(b, a))
      .slice(0, limit);
  }

  async push(job: ClaimedJob, now: number, perHour: number, publish: NotificationPublish) {
    const entry = this.stored.find(job.owner, job.id);
    if (!entry || !this.jobs.isHeld(job)) return 'lost';
    const isRecent = ({ record: { pushedAt } }: StoredNotification): boolean =>
      pushedAt !== undefined && pushedAt > now - hourMs;
    if (this.stored.of(job.owner, entry.record.userId).filter(isRecent).length >= perHour) {
      await this.skip(job, now);
      return 'limited';
    }
    // Marked first, so that concurrent pushes to the user count it.
    change(entry, { pushedAt: now });
    try {
      change(entry, { publishId: (await publish.outbox.add(this.counted(job, publish))).publishId });
    } catch (error) {
      const { pushedAt: _, ...rest } = entry.record;
      entry.record = rest;
      throw error;
    }
    this.jobs.ending(job);
    return 'pushed';
  }

  async withdrawals({ id, key }: ClaimedJob, limit: number): Promise<readonly Job[]> {
    const others = this.jobs.ofKey(key).filter((job) => job.id !== id);
    return others.toSorted((one, other) => one.dueAt - other.dueAt).slice(0, limit);
  }

  async withdraw(job: ClaimedJob, publish: NotificationPublish, others: readonly string[] = []) {
    if (!this.jobs.isHeld(job)) return 'lost';
    await publish.outbox.add(this.counted(job, publish));
    this.jobs.ending(job);
    this.jobs.forget(job.key, new Set(others));
    return 'withdrawn';
  }

  async skip(job: ClaimedJob, now: number): Promise<void> {
    const entry = this.stored.find(job.owner, job.id);
    if (!this.jobs.ending(job) || !entry) return;
    const { pushedAt, withdrawnAt } = entry.record;
    if (pushedAt === undefined && withdrawnAt === undefined) change(entry, { skippedAt: now });
  }

  async forget(appId: string, before: number, limit: number): Promise<number> {
    const isOld = ({ record }: StoredNotification): boolean =>
      record.appId === appId && record.createdAt < before && !this.jobs.has(record.id);
    const old = [...this.stored.all()].filter(isOld).slice(0, limit);
    for (const { record } of old) this.stored.remove(record);
    return old.length;
  }

  private deleted(entries: readonly StoredNotification[], now: number, withdraws: Withdraws): void {
    this.withdrawn(entries.filter(isUnread), { withdrawnAt: now }, withdraws);
    for (const { record } of entries) this.stored.remove(record);
  }

  private withdrawn(
    entries: readonly StoredNotification[],
    times: Partial<NotificationRecord>,
    withdraws: Withdraws,
  ): void {
    for (const entry of entries) {
      change(entry, times);
      this.jobs.forget(entry.record.id);
    }
    const sent = withdrawnFromDevices(entries, withdraws, ({ record }) => record.pushedAt !== undefined);
    this.jobs.adding(sent.map(({ record }) => withdrawalJob(record, record.withdrawnAt!)));
  }

  private counted({ owner }: ClaimedJob, { publish, badge }: NotificationPublish): Publish {
    return badge ? badge.add(publish, this.stored.unreadOf(owner, badge.userId).length) : publish;
  }
}

const isOf =
  (collapseKey: string) =>
  ({ record }: StoredNotification): boolean =>
    record.collapseKey === collapseKey;

/** Ids are ASCII, so strings compare like bytes. */
function byPlace(a: FeedCursor, b: FeedCursor): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
