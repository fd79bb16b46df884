import type { Answer } from 'rookery/common';
import { objectOr, parseJson } from '../json.js';
import { SendLater, type Outcome } from '../push.gateway.js';
import { retryAfterMs } from '../retry-after.js';

const delivered: Outcome = { outcome: 'delivered' };

/**
 * What a push service's answer means for the device (beams-wire §11.3). Throws SendLater. The reasons are few and
 * fixed, as the endpoint is anybody's: a 401 or 403 says nothing about other devices, for it may come from an endpoint
 * that was registered to say so.
 */
export function webPushOutcome(answer: Answer, now: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return delivered;
  if (status === 404 || status === 410) return unregistered(answer);
  if (status === 429 || status >= 500)
    throw new SendLater(`HTTP ${status}`, retryAfterMs(answer.headers['retry-after'], now));
  return { outcome: 'rejected', reason: status === 413 ? 'PayloadTooLarge' : `HTTP ${status}` };
}

/** Apple says in milliseconds since when. */
function unregistered({ body }: Answer): Outcome {
  const { timestamp } = objectOr(parseJson(body));
  return typeof timestamp === 'number' ? { outcome: 'unregistered', before: timestamp } : { outcome: 'unregistered' };
}
