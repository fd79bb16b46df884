import { serverNow } from '../api/server-clock.js';
import type { Notification, PushOutcome } from '../api/contract.js';

interface Reached {
  readonly word: string;
  readonly tone: string;
}

/** How a notification reached its user so far, in a word, with its tone. */
export function reached(notification: Notification, now = serverNow()): Reached {
  if (notification.shownAt !== null) return { word: 'on a page', tone: 'good' };
  if (notification.pushedAt !== null) return pushed(notification.push);
  // The app reports that it was read, also where no page has answered.
  if (notification.readAt !== null) return { word: 'read', tone: 'good' };
  if (notification.withdrawnAt !== null) return { word: 'replaced', tone: '' };
  if (notification.skippedAt !== null) return { word: 'push left out', tone: 'bad' };
  if (notification.pushAt !== null && notification.pushAt > now) return { word: 'waiting', tone: 'warn' };
  return notification.pushAt === null ? { word: 'not shown', tone: 'warn' } : { word: 'push is due', tone: 'warn' };
}

/** What the publish of its push has reached so far. */
function pushed(push: PushOutcome | null): Reached {
  if (!push) return { word: 'outcome not kept', tone: '' };
  const { isDone, devices, sent, failed, why } = push;
  if (devices === 0) return isDone ? { word: 'no device', tone: 'bad' } : { word: 'being pushed', tone: 'warn' };
  if (sent === devices) return { word: 'by push', tone: 'good' };
  if (sent > 0) return { word: `${sent} of ${devices} devices`, tone: 'warn' };
  const because = why === null ? '' : `: ${why}`;
  return failed === devices ? { word: `failed${because}`, tone: 'bad' } : { word: `waiting${because}`, tone: 'warn' };
}
