import type { Answer } from '#common';
import { SendLater, type Outcome } from '../push.gateway.js';
import { retryAfterMs } from '../retry-after.js';
import { unregistered } from '../unregistered.js';

/** The push service limits the site: Chrome does so with sites that it found disruptive. */
export const tooManyMessages = 'TooManyMessages (HTTP 429: the push service limits this site)';

const delivered: Outcome = { outcome: 'delivered' };

/**
 * Interprets a push service's answer for the device (beams-wire §11.3). Throws SendLater. The set of reasons is small
 * and fixed, because the endpoint is untrusted: a 401 or 403 says nothing about other devices, because an attacker can
 * register an endpoint that answers so.
 */
export function webPushOutcome(answer: Answer, now: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return delivered;
  if (status === 404 || status === 410) return unregistered(answer.body);
  if (status === 429) throw new SendLater(tooManyMessages, retryAfterMs(answer.headers['retry-after'], now));
  if (status >= 500) throw new SendLater(`HTTP ${status}`, retryAfterMs(answer.headers['retry-after'], now));
  return { outcome: 'rejected', reason: status === 413 ? 'PayloadTooLarge' : `HTTP ${status}` };
}
