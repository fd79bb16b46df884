import type { NewNotification, NotificationRecord } from 'rookery/notifications';

type Time = number | string | null;

/** A row as both databases return it. */
export interface NotificationRow {
  readonly id: string;
  readonly app_id: string;
  readonly user_id: string;
  readonly event_name: string;
  readonly event_data: string;
  readonly push: string | null;
  readonly collapse_key: string | null;
  readonly quiet_hours: string | null;
  readonly created_at: number | string;
  readonly push_at: Time;
  readonly shown_at: Time;
  readonly pushed_at: Time;
  readonly publish_id: string | null;
  readonly skipped_at: Time;
  readonly read_at: Time;
  readonly withdrawn_at: Time;
}

export const isUnread = 'read_at IS NULL AND withdrawn_at IS NULL';

/** Of a user of an app. */
export const unreadCount = `SELECT COUNT(*) AS count FROM rookery_notifications WHERE app_id = ? AND user_id = ? AND ${isUnread}`;

export type Count = { readonly count: number | string };
export const countOf = ([row]: readonly Count[]): number => Number(row?.count ?? 0);

/** The columns of a new row; `newValues` has the values. */
export const newColumns = `id, app_id, user_id, event_name, event_data, push, collapse_key, quiet_hours, created_at,
  push_at`;

export function newValues({ event, push, quietHours, ...rest }: NewNotification): readonly unknown[] {
  const { id, appId, userId, collapseKey, createdAt, pushAt } = rest;
  const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  const whose = [id, appId, userId, event.name, event.data];
  return [...whose, json(push), collapseKey ?? null, json(quietHours), createdAt, pushAt ?? null];
}

/** What a push or withdrawal needs to know. */
export function pushOfRow({ id, app_id: appId, user_id: userId, push }: PushColumns) {
  // `newValues` wrote it.
  return { id, appId, userId, ...(push !== null && { push: JSON.parse(push) as NewNotification['push'] }) };
}

type PushColumns = Pick<NotificationRow, 'id' | 'app_id' | 'user_id' | 'push'>;

export function recordOfRow(row: NotificationRow): NotificationRecord {
  return {
    ...pushOfRow(row),
    event: { name: row.event_name, data: row.event_data },
    // `newValues` wrote it.
    ...(row.quiet_hours !== null && { quietHours: JSON.parse(row.quiet_hours) as NewNotification['quietHours'] }),
    ...(row.collapse_key !== null && { collapseKey: row.collapse_key }),
    createdAt: Number(row.created_at),
    ...(row.push_at !== null && { pushAt: Number(row.push_at) }),
    ...(row.shown_at !== null && { shownAt: Number(row.shown_at) }),
    ...(row.pushed_at !== null && { pushedAt: Number(row.pushed_at) }),
    ...(row.publish_id !== null && { publishId: row.publish_id }),
    ...(row.skipped_at !== null && { skippedAt: Number(row.skipped_at) }),
    ...(row.read_at !== null && { readAt: Number(row.read_at) }),
    ...(row.withdrawn_at !== null && { withdrawnAt: Number(row.withdrawn_at) }),
  };
}
