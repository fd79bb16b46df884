import type { Publish } from '../../publish.js';

/**
 * How a publish reaches Live Activities: `broadcast`, one request for each channel of its interests, or `start`, with
 * the start tokens of its devices.
 */
export type LiveActivityMode = 'broadcast' | 'start';

/**
 * Decided by `apns.aps.event`. With a `push_type` of its own, a publish goes to devices that registered the tokens of
 * that type.
 */
export function liveActivityMode({ payloads: { apns }, target }: Publish): LiveActivityMode | undefined {
  const event = (apns?.['aps'] as { readonly event?: unknown } | undefined)?.event;
  if (event === undefined || apns?.['push_type'] !== undefined) return undefined;
  if (event === 'start') return 'start';
  return (event === 'update' || event === 'end') && target.interests ? 'broadcast' : undefined;
}

/** Whether it is an update without a channel, which would reach devices as a push that shows nothing. */
export function isUpdateOfUsers({ payloads: { apns }, target }: Publish): boolean {
  const event = (apns?.['aps'] as { readonly event?: unknown } | undefined)?.event;
  return (event === 'update' || event === 'end') && apns?.['push_type'] === undefined && target.users !== undefined;
}
