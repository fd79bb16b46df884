import { type NotificationRecord, type NotificationState, stateOf } from './store/notification.js';

/** A notification as it is told to servers. Times as in RFC 3339 §5.6. */
export interface NotificationStatus {
  readonly id: string;
  readonly userId: string;
  /** The furthest that it has come. */
  readonly state: NotificationState;
  readonly event: { readonly name: string; readonly data: unknown };
  readonly collapseKey?: string;
  readonly createdAt: string;
  readonly shownAt?: string;
  readonly pushedAt?: string;
  /** Of the publish that the push is. */
  readonly publishId?: string;
  readonly skippedAt?: string;
  readonly readAt?: string;
  readonly withdrawnAt?: string;
  /** Where a page says that it was read. */
  readonly readUrl: string;
}

const times = ['shownAt', 'pushedAt', 'skippedAt', 'readAt', 'withdrawnAt'] as const;

export function statusOf(record: NotificationRecord, readUrl: string): NotificationStatus {
  const { id, userId, event, collapseKey, createdAt, publishId } = record;
  const happened = times.filter((time) => record[time] !== undefined);
  return {
    id,
    userId,
    state: stateOf(record),
    event: { name: event.name, data: JSON.parse(event.data) as unknown },
    ...(collapseKey !== undefined && { collapseKey }),
    createdAt: new Date(createdAt).toISOString(),
    ...Object.fromEntries(happened.map((time) => [time, new Date(record[time]!).toISOString()])),
    ...(publishId !== undefined && { publishId }),
    readUrl,
  };
}
