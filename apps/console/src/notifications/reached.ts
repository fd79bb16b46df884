import type { Notification } from '../api/contract.js';

/** How a notification reached its user so far, in a word, with its tone. */
export function reached(
  notification: Notification,
  now = Date.now(),
): { readonly word: string; readonly tone: string } {
  if (notification.shownAt !== null) return { word: 'on a page', tone: 'good' };
  if (notification.pushedAt !== null) return { word: 'by push', tone: 'good' };
  // The app reports that it was read, also where no page has answered.
  if (notification.readAt !== null) return { word: 'read', tone: 'good' };
  if (notification.withdrawnAt !== null) return { word: 'replaced', tone: '' };
  if (notification.skippedAt !== null) return { word: 'push left out', tone: 'bad' };
  if (notification.pushAt !== null && notification.pushAt > now) return { word: 'waiting', tone: 'warn' };
  return notification.pushAt === null ? { word: 'not shown', tone: 'warn' } : { word: 'push is due', tone: 'warn' };
}
