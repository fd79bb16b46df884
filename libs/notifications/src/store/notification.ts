import type { Payloads } from 'rookery/publish';
import type { QuietHours } from '../quiet-hours.js';

/** What a user is to be told once, wherever they are. */
export interface NewNotification {
  /** A UUID. */
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly event: NotificationEvent;
  /** What the user's devices get when no page has shown it by {@link pushAt}. Absent: nothing. */
  readonly push?: Payloads;
  /** A newer one with the same key takes the place of an unread one. */
  readonly collapseKey?: string;
  /** When devices are not woken. */
  readonly quietHours?: QuietHours;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** When the push is due; with a `push` only. */
  readonly pushAt?: number;
}

/** What open pages get. */
export interface NotificationEvent {
  readonly name: string;
  /** JSON. */
  readonly data: string;
}

/** A notification, and when it became what. */
export interface NotificationRecord extends NewNotification {
  /** A page has handled the event. */
  readonly shownAt?: number;
  /** The push was accepted for the user's devices, as a publish of this id. */
  readonly pushedAt?: number;
  readonly publishId?: string;
  /** The push was left out: the user had had too many, or it could not be published. */
  readonly skippedAt?: number;
  readonly readAt?: number;
  /** It was taken back from other tabs and devices: it was read, or a newer one took its place. */
  readonly withdrawnAt?: number;
}

/** The furthest that a notification has come. */
export type NotificationState = 'sent' | 'skipped' | 'pushed' | 'shown' | 'withdrawn' | 'read';

export function stateOf(record: NotificationRecord): NotificationState {
  if (record.readAt !== undefined) return 'read';
  if (record.withdrawnAt !== undefined) return 'withdrawn';
  if (record.shownAt !== undefined) return 'shown';
  if (record.pushedAt !== undefined) return 'pushed';
  return record.skippedAt === undefined ? 'sent' : 'skipped';
}
