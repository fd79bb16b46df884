import type { Publish } from '../publish.js';

/**
 * How a publish reaches Live Activities: `broadcast`, one request for each channel of its interests, or `start`, with
 * the start tokens of its devices.
 */
export type LiveActivityMode = 'broadcast' | 'start';

/**
 * Decided by `apns.aps.event`. With a `push_type` of its own, a publish goes to devices that registered the tokens of
 * that type; an update for users has no channel, so it goes to their devices too.
 */
export function liveActivityMode({ payloads: { apns }, target }: Publish): LiveActivityMode | undefined {
  const event = (apns?.['aps'] as { readonly event?: unknown } | undefined)?.event;
  if (event === undefined || apns?.['push_type'] !== undefined) return undefined;
  if (event === 'start') return 'start';
  return (event === 'update' || event === 'end') && target.interests ? 'broadcast' : undefined;
}
