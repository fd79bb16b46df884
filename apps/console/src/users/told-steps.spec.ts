import { expect, it } from 'vitest';
import type { Notification } from '../api/contract.js';
import { notificationSteps, pushSteps } from './told-steps.js';

const unset = { pushAt: null, shownAt: null, pushedAt: null, publishId: null, skippedAt: null, readAt: null };
const notification: Notification = {
  ...unset,
  id: '1',
  at: 1000,
  userId: 'alice',
  name: 'mention',
  data: '{}',
  title: 'Bob mentions you',
  withdrawnAt: null,
  push: null,
};

it('tells each time of a notification that is set', () => {
  expect(notificationSteps([{ ...notification, shownAt: 2000, readAt: 3000 }])).toEqual([
    { at: 1000, text: 'notification Bob mentions you was sent' },
    { at: 2000, text: 'notification Bob mentions you was shown on a page' },
    { at: 3000, text: 'notification Bob mentions you was read' },
  ]);
  expect(notificationSteps([{ ...notification, title: null, pushedAt: 5, withdrawnAt: 9 }])).toEqual([
    { at: 1000, text: 'notification mention was sent' },
    { at: 5, text: 'notification mention was pushed' },
    { at: 9, text: 'notification mention was replaced' },
  ]);
});

it('tells what became of each push', () => {
  const push = { at: 7, publishId: 'p1', instance: 'i', platform: 'apns' } as const;
  expect(
    pushSteps([
      { ...push, title: 'Lunch', outcome: 'sent', reason: null },
      { ...push, title: null, outcome: 'failed', reason: 'BadDeviceToken' },
    ]),
  ).toEqual([
    { at: 7, text: 'push Lunch to a device (apns): sent' },
    { at: 7, text: 'push p1 to a device (apns): failed, BadDeviceToken' },
  ]);
});
