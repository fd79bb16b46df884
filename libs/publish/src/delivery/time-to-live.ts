/** Four weeks: the maximum of FCM and web push, and their default here (beams-wire §5.1, §11.2). */
export const maxTimeToLiveSeconds = 2_419_200;

/** A customer's `time_to_live` in whole seconds, clamped to the gateways' limits. */
export function timeToLiveSeconds(given: unknown): number {
  const seconds = typeof given === 'string' ? Number.parseFloat(given) : given;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return maxTimeToLiveSeconds;
  return Math.trunc(Math.min(Math.max(seconds, 0), maxTimeToLiveSeconds));
}

/** Whole seconds since the publish was accepted: times to live count from there, but gateways count from the send. */
export function passedSeconds(publishedAt: number, now: number): number {
  return Math.max(0, Math.floor((now - publishedAt) / 1000));
}

/** The remaining time to live. 0, a single try, stays 0; any other value never becomes 0. */
export function secondsLeft(seconds: number, passed: number): number {
  return seconds === 0 ? 0 : Math.max(1, seconds - passed);
}
