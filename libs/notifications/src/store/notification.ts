import type { Payloads } from 'rookery/publish';
import type { QuietHours } from '../quiet-hours.js';

/** A notification that its user gets once, on an open page or by push. */
export interface NewNotification {
  /** A UUID. */
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly event: NotificationEvent;
  /** The push for the user's devices if no page has shown it by {@link pushAt}. Absent: none. */
  readonly push?: Payloads;
  /** A newer notification with the same key replaces an unread one. */
  readonly collapseKey?: string;
  /** When devices stay silent. */
  readonly quietHours?: QuietHours;
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number;
  /** When the push is due; only with a `push`. */
  readonly pushAt?: number;
}

/** The event for open pages. */
export interface NotificationEvent {
  readonly name: string;
  /** JSON. */
  readonly data: string;
}

/** A notification with the times of its states. */
export interface NotificationRecord extends NewNotification {
  /** A page has handled the event. */
  readonly shownAt?: number;
  /** The push was accepted for the user's devices, as the publish with this id. */
  readonly pushedAt?: number;
  readonly publishId?: string;
  /** The push was left out: the user's limit was reached, or it could not be published. */
  readonly skippedAt?: number;
  readonly readAt?: number;
  /** It was removed from other tabs and devices: it was read, or a newer one replaced it. */
  readonly withdrawnAt?: number;
}

/** The most advanced state of a notification. */
export type NotificationState = 'sent' | 'skipped' | 'pushed' | 'shown' | 'withdrawn' | 'read';

export function stateOf(record: NotificationRecord): NotificationState {
  if (record.readAt !== undefined) return 'read';
  if (record.withdrawnAt !== undefined) return 'withdrawn';
  if (record.shownAt !== undefined) return 'shown';
  if (record.pushedAt !== undefined) return 'pushed';
  return record.skippedAt === undefined ? 'sent' : 'skipped';
}
