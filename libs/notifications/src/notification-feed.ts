import type { NotificationStatus } from './notification-status.js';
import type { FeedCursor } from './store/notification.repository.js';

/** A part of a user's notifications, newest first. */
export interface NotificationFeed {
  readonly notifications: readonly NotificationStatus[];
  /** Over all of the user's notifications. */
  readonly unread: number;
  /** Where the next part begins; absent after the last. */
  readonly next?: FeedCursor;
}

/** How a feed is read. */
export interface FeedQuery {
  /** 1 to 100. @default 100 */
  readonly limit?: number;
  /** The `next` of an earlier part. */
  readonly before?: FeedCursor;
  /** Only those that the user has not read. @default false */
  readonly unread?: boolean;
}

/** Which of an app's notifications to list. */
export interface LatestQuery {
  /** Absent: of all users. */
  readonly userId?: string;
  /** The last one of an earlier part. */
  readonly before?: FeedCursor;
}
