import { type NotificationRecord, type NotificationState, stateOf } from './store/notification.js';

/** A notification's status, as the API returns it. Times as in RFC 3339 §5.6. */
export interface NotificationStatus {
  readonly id: string;
  readonly userId: string;
  /** The most advanced state reached. */
  readonly state: NotificationState;
  readonly event: { readonly name: string; readonly data: unknown };
  readonly collapseKey?: string;
  readonly createdAt: string;
  readonly shownAt?: string;
  readonly pushedAt?: string;
  /** The id of the push's publish. */
  readonly publishId?: string;
  readonly skippedAt?: string;
  readonly readAt?: string;
  readonly withdrawnAt?: string;
  /** The URL to which a page reports that it was read. */
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
