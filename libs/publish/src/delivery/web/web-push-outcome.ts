import type { FetchedAnswer } from '#common';
import { SendLater, type Outcome } from '../push.gateway.js';
import { asksForLater, retryAfterMs } from '../retry-after.js';
import { unregistered } from '../unregistered.js';

/** The push service limits the site: Chrome does so with sites that it found disruptive. */
export const tooManyMessages = (status = 429): string =>
  `TooManyMessages (HTTP ${status}: the push service limits this site)`;

const delivered: Outcome = { outcome: 'delivered' };

/** Whether the push service limits the site. Windows answers 406 then, and other refusals with 406, too. */
export const limitsTheSite = ({ status }: FetchedAnswer, waitMs: number | undefined): boolean =>
  status === 429 || (status === 406 && waitMs !== undefined);

/**
 * Interprets a push service's answer for the device (beams-wire §11.3). Throws SendLater. The set of reasons is small
 * and fixed, because the endpoint is untrusted: a 401 or 403 says nothing about other devices, because an attacker can
 * register an endpoint that answers so.
 */
export function webPushOutcome(answer: FetchedAnswer, now: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return delivered;
  if (status === 404 || status === 410) return unregistered(answer.body);
  const waitMs = retryAfterMs(answer.headers['retry-after'], now);
  if (limitsTheSite(answer, waitMs)) throw new SendLater(tooManyMessages(status), waitMs);
  if (asksForLater(status, waitMs)) throw new SendLater(`HTTP ${status}`, waitMs);
  return { outcome: 'rejected', reason: status === 413 ? 'PayloadTooLarge' : `HTTP ${status}` };
}
