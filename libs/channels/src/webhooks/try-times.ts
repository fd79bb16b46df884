import type { WebhookSettings } from '../channels.options.js';

const firstDelayMs = 1000;

/** When a new webhook is tried: the last try ends before it expires. */
export const tryTimes = ({ retryMs, timeoutMs }: Pick<WebhookSettings, 'retryMs' | 'timeoutMs'>, now: number) => ({
  timeoutMs,
  retryDelaysMs: retryDelays(retryMs - timeoutMs),
  expiresAt: now + Math.max(retryMs, timeoutMs),
});

/** Delays of 1, 2, 4 … seconds between tries, such that the last try begins at most `windowMs` after the first. */
function retryDelays(windowMs: number): readonly number[] {
  const delays: number[] = [];
  for (let next = firstDelayMs, left = windowMs; left > 0; left -= next, next *= 2) delays.push(Math.min(next, left));
  return delays;
}
