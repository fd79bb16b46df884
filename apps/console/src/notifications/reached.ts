import type { Notification } from '../api/contract.js';

/** How a notification reached its user so far, in a word, with its tone. */
export function reached(of: Notification, now = Date.now()): { readonly word: string; readonly tone: string } {
  if (of.shownAt !== null) return { word: 'on a page', tone: 'good' };
  if (of.pushedAt !== null) return { word: 'by push', tone: 'good' };
  // The app reports that it was read, also where no page has answered.
  if (of.readAt !== null) return { word: 'read', tone: 'good' };
  if (of.withdrawnAt !== null) return { word: 'replaced', tone: '' };
  if (of.skippedAt !== null) return { word: 'push left out', tone: 'bad' };
  if (of.pushAt !== null && of.pushAt > now) return { word: 'waiting', tone: 'warn' };
  return of.pushAt === null ? { word: 'not shown', tone: 'warn' } : { word: 'push is due', tone: 'warn' };
}
