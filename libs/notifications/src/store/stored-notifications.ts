import type { NewNotification, NotificationRecord } from './notification.js';

export interface StoredNotification {
  record: NotificationRecord;
}

/** Notifications in memory, by id and by user. */
export class StoredNotifications {
  private readonly byId = new Map<string, StoredNotification>();
  /** Each user's notifications, oldest first. */
  private readonly byUser = new Map<string, StoredNotification[]>();

  add(notification: NewNotification): void {
    const { id, appId, userId } = notification;
    const entry: StoredNotification = { record: notification };
    this.byId.set(id, entry);
    const others = this.byUser.get(userKey(appId, userId));
    if (others) others.push(entry);
    else this.byUser.set(userKey(appId, userId), [entry]);
  }

  remove({ id, appId, userId }: NotificationRecord): void {
    this.byId.delete(id);
    const left = this.of(appId, userId).filter(({ record }) => record.id !== id);
    if (left.length > 0) this.byUser.set(userKey(appId, userId), left);
    else this.byUser.delete(userKey(appId, userId));
  }

  find(appId: string, id: string): StoredNotification | undefined {
    const entry = this.byId.get(id);
    return entry?.record.appId === appId ? entry : undefined;
  }

  all(): Iterable<StoredNotification> {
    return this.byId.values();
  }

  of(appId: string, userId: string): readonly StoredNotification[] {
    return this.byUser.get(userKey(appId, userId)) ?? [];
  }

  unreadOf(appId: string, userId: string): readonly StoredNotification[] {
    return this.of(appId, userId).filter(isUnread);
  }
}

const userKey = (appId: string, userId: string): string => JSON.stringify([appId, userId]);

export const isUnread = ({ record }: StoredNotification): boolean =>
  record.readAt === undefined && record.withdrawnAt === undefined;

export function change(entry: StoredNotification, times: Partial<NotificationRecord>): void {
  entry.record = { ...entry.record, ...times };
}
