import { describing } from '#http';
import type { NotificationState } from '../store/notification.js';

const { oneOf, shape, text, time } = describing;

const states: Record<NotificationState, true> = {
  sent: true,
  skipped: true,
  pushed: true,
  shown: true,
  withdrawn: true,
  read: true,
};

/** The state of a notification, as it is answered. */
export const notification = shape(
  {
    id: text,
    userId: text,
    state: oneOf(...Object.keys(states)),
    event: shape({ name: text, data: { type: 'object' } }),
    createdAt: time,
    readUrl: text,
  },
  {
    collapseKey: text,
    shownAt: time,
    pushedAt: time,
    publishId: text,
    skippedAt: time,
    readAt: time,
    withdrawnAt: time,
  },
);
