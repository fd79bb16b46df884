/** Four weeks: the longest that FCM and web push keep a message, and their default here (§5.1, §11.2). */
export const maxTimeToLiveSeconds = 2_419_200;

/** A customer's `time_to_live` in whole seconds, kept within what the gateways take. */
export function timeToLiveSeconds(given: unknown): number {
  const seconds = typeof given === 'string' ? Number.parseFloat(given) : given;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return maxTimeToLiveSeconds;
  return Math.trunc(Math.min(Math.max(seconds, 0), maxTimeToLiveSeconds));
}
