/** `Date` has whole seconds, and an answer takes time. */
const exactMs = 2000;

let aheadMs = 0;

/** The time by the server's clock, as far as its answers have told: ages follow it, not the browser's. */
export const serverNow = (): number => Date.now() + aheadMs;

/**
 * Takes the time from an answer.
 * @param date its `Date`
 * @param askedAt when it was asked for, by the browser's clock
 */
export function keepServerTime(date: string | null, askedAt: number): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const ahead = told + 500 - (askedAt + Date.now()) / 2;
  // Otherwise ages would jump to and fro.
  if (Math.abs(ahead - aheadMs) > exactMs) aheadMs = Math.abs(ahead) > exactMs ? ahead : 0;
}
