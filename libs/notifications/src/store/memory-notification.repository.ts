import { noTransaction, type Within } from 'rookery/jobs';
import { Injectable } from '@nestjs/common';
import type { NewNotification, NotificationRecord } from './notification.js';
import {
  type FeedPlace,
  type NotificationBacklog,
  NotificationRepository,
  type Publishing,
  type ReadNotification,
} from './notification.repository.js';

const hourMs = 3_600_000;

interface Entry {
  record: NotificationRecord;
  dueAt: number | undefined;
  owner: string | undefined;
}

/** In memory: for one process; notifications are lost on restart. */
@Injectable()
export class MemoryNotificationRepository extends NotificationRepository {
  private readonly entries = new Map<string, Entry>();
  /** Each user's notifications, oldest first. */
  private readonly users = new Map<string, Entry[]>();
  private readonly due = new Set<Entry>();

  async add(notification: NewNotification, withdraws: boolean, within?: Within): Promise<readonly string[]> {
    if (within)
      throw noTransaction(
        'NotificationsModule',
        'NotificationsModule.forRoot({ notificationRepository: TypeOrmNotificationRepository })',
      );
    const { id, appId, userId, collapseKey, createdAt, pushAt } = notification;
    const replaced = collapseKey === undefined ? [] : this.unreadOf(appId, userId).filter(isOf(collapseKey));
    for (const entry of replaced) this.withdrawn(entry, { withdrawnAt: createdAt }, withdraws);
    const entry: Entry = { record: notification, dueAt: undefined, owner: undefined };
    this.setDue(entry, pushAt);
    this.entries.set(id, entry);
    const others = this.users.get(userKey(appId, userId));
    if (others) others.push(entry);
    else this.users.set(userKey(appId, userId), [entry]);
    return replaced.map(({ record }) => record.id);
  }

  async appIds(): Promise<readonly string[]> {
    return [...new Set(Array.from(this.entries.values(), ({ record }) => record.appId))];
  }

  async find(appId: string, id: string): Promise<NotificationRecord | undefined> {
    return this.entryOf(appId, id)?.record;
  }

  async shown(appId: string, id: string, now: number): Promise<void> {
    const entry = this.entryOf(appId, id);
    if (!entry || entry.record.shownAt !== undefined) return;
    const { pushedAt, withdrawnAt } = entry.record;
    change(entry, { shownAt: now });
    if (pushedAt === undefined && withdrawnAt === undefined) this.setDue(entry, undefined);
  }

  async read(appId: string, id: string, now: number, withdraws: boolean): Promise<ReadNotification | undefined> {
    const entry = this.entryOf(appId, id);
    if (!entry) return undefined;
    const { userId, readAt, withdrawnAt } = entry.record;
    if (readAt === undefined && withdrawnAt !== undefined) change(entry, { readAt: now });
    if (readAt === undefined && withdrawnAt === undefined)
      this.withdrawn(entry, { readAt: now, withdrawnAt: now }, withdraws);
    return { userId, isFirst: readAt === undefined };
  }

  async unread(appId: string, userId: string): Promise<number> {
    return this.unreadOf(appId, userId).length;
  }

  async feed(appId: string, userId: string, limit: number, before?: FeedPlace): Promise<readonly NotificationRecord[]> {
    return (this.users.get(userKey(appId, userId)) ?? [])
      .map(({ record }) => record)
      .filter((record) => record.withdrawnAt === undefined || record.readAt !== undefined)
      .filter((record) => !before || byPlace(record, before) < 0)
      .toSorted((a, b) => byPlace(b, a))
      .slice(0, limit);
  }

  async claim(owner: string, now: number, leaseMs: number, limit: number): Promise<readonly NotificationRecord[]> {
    const found = [...this.due]
      .filter(({ dueAt }) => dueAt! <= now)
      .sort((a, b) => a.dueAt! - b.dueAt!)
      .slice(0, limit);
    for (const entry of found) this.setDue(entry, now + leaseMs, owner);
    return found.map(({ record }) => record);
  }

  async push(owner: string, id: string, now: number, perHour: number, publish: Publishing) {
    const entry = this.heldBy(owner, id);
    if (!entry) return 'lost';
    const { appId, userId } = entry.record;
    const isRecent = ({ record: { pushedAt } }: Entry): boolean => pushedAt !== undefined && pushedAt > now - hourMs;
    if ((this.users.get(userKey(appId, userId)) ?? []).filter(isRecent).length >= perHour) {
      await this.skip(owner, id, now);
      return 'limited';
    }
    const before = entry.record;
    // Marked first, so that concurrent pushes to the user count it.
    change(entry, { pushedAt: now });
    try {
      change(entry, await publish());
    } catch (error) {
      entry.record = before;
      throw error;
    }
    if (entry.owner === owner) this.setDue(entry, undefined);
    return 'pushed';
  }

  async withdraw(owner: string, id: string, publish?: Publishing) {
    const entry = this.heldBy(owner, id);
    if (!entry) return 'lost';
    await publish?.();
    this.setDue(entry, undefined);
    return 'withdrawn';
  }

  async skip(owner: string, id: string, now: number): Promise<void> {
    const entry = this.heldBy(owner, id);
    if (!entry) return;
    change(entry, { skippedAt: now });
    this.setDue(entry, undefined);
  }

  async postpone(owner: string, id: string, dueAt: number): Promise<void> {
    const entry = this.heldBy(owner, id);
    if (entry) this.setDue(entry, dueAt);
  }

  async backlog(now: number): Promise<NotificationBacklog> {
    const due = [...this.due].map(({ dueAt }) => dueAt!).filter((dueAt) => dueAt <= now);
    const oldest = due.reduce<number | undefined>((least, dueAt) => Math.min(least ?? dueAt, dueAt), undefined);
    return { notifications: this.due.size, ...(oldest !== undefined && { oldestDueAt: oldest }) };
  }

  async forget(appId: string, before: number, limit: number): Promise<number> {
    const isOld = ({ record, dueAt }: Entry): boolean =>
      record.appId === appId && record.createdAt < before && dueAt === undefined;
    const old = [...this.entries.values()].filter(isOld).slice(0, limit);
    for (const { record } of old) this.remove(record);
    return old.length;
  }

  private remove({ id, appId, userId }: NotificationRecord): void {
    this.entries.delete(id);
    const left = (this.users.get(userKey(appId, userId)) ?? []).filter(({ record }) => record.id !== id);
    if (left.length > 0) this.users.set(userKey(appId, userId), left);
    else this.users.delete(userKey(appId, userId));
  }

  private withdrawn(entry: Entry, times: Partial<NotificationRecord>, withdraws: boolean): void {
    change(entry, times);
    const isOnDevices = entry.record.pushedAt !== undefined;
    this.setDue(entry, isOnDevices && withdraws ? times.withdrawnAt : undefined);
  }

  private unreadOf(appId: string, userId: string): Entry[] {
    const all = this.users.get(userKey(appId, userId)) ?? [];
    return all.filter(({ record }) => record.readAt === undefined && record.withdrawnAt === undefined);
  }

  private entryOf(appId: string, id: string): Entry | undefined {
    const entry = this.entries.get(id);
    return entry?.record.appId === appId ? entry : undefined;
  }

  private heldBy(owner: string, id: string): Entry | undefined {
    const entry = this.entries.get(id);
    return entry?.owner === owner ? entry : undefined;
  }

  private setDue(entry: Entry, dueAt: number | undefined, owner?: string): void {
    entry.dueAt = dueAt;
    entry.owner = owner;
    if (dueAt === undefined) this.due.delete(entry);
    else this.due.add(entry);
  }
}

const userKey = (appId: string, userId: string): string => JSON.stringify([appId, userId]);

const isOf =
  (collapseKey: string) =>
  ({ record }: Entry): boolean =>
    record.collapseKey === collapseKey;

function change(entry: Entry, times: Partial<NotificationRecord>): void {
  entry.record = { ...entry.record, ...times };
}

/** Ids are ASCII, so strings compare like bytes. */
function byPlace(a: FeedPlace, b: FeedPlace): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
