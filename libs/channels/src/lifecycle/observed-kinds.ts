// The console's pages import this file too, so it imports nothing.

/** The kinds of activity that are reported. */
export const observedKinds = [
  'connected',
  'disconnected',
  'subscribed',
  'unsubscribed',
  'occupied',
  'vacated',
  'member_added',
  'member_removed',
  'event',
  'client_event',
  'request',
  'error',
  'webhook',
  'signed_in',
  'slow_closed',
] as const;
export type ObservedKind = (typeof observedKinds)[number];
