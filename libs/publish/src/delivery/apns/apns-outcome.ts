import type { PushAnswer } from '../http2/exchange.js';
import { objectOr, parseJson } from '../json.js';
import { PlatformFault, SendLater, type Outcome } from '../push.gateway.js';
import { asksForLater, retryAfterMs } from '../retry-after.js';
import { unregistered } from '../unregistered.js';

export const delivered: Outcome = { outcome: 'delivered' };

/** Reasons of a 400 for tokens that do not, or no longer, belong to the app. */
const badToken = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic']);

/** Malformed, or issued by Apple's other environment. */
export const isBadDeviceToken = (answer: PushAnswer): boolean =>
  answer.status === 400 && reasonOf(answer) === 'BadDeviceToken';

/** Reasons of a 403 for tokens of the key; the others may concern the app alone, such as one of another team. */
const badProviderToken = new Set(['ExpiredProviderToken', 'MissingProviderToken']);

/** Reasons of a 400 for channels that do not, or no longer, exist. */
const unknownChannel = new Set(['ChannelNotRegistered', 'BadChannelId']);

export const isUnknownChannel = (answer: PushAnswer): boolean =>
  answer.status === 400 && unknownChannel.has(reasonOf(answer));

/** Apple's reason, or the status if there is none. */
export function reasonOf({ status, body }: PushAnswer): string {
  const { reason } = objectOr(parseJson(body));
  return typeof reason === 'string' ? reason : `HTTP ${status}`;
}

/**
 * Interprets an APNs answer for the device (beams-wire §11.1). Throws SendLater and PlatformFault.
 *
 * @param hasOwnTopic - the push type has its own tokens, so a mismatched token may still be good for alerts
 * @param bundleIdentifier - of the device's app
 */
export function apnsOutcome(
  answer: PushAnswer,
  now: number,
  keyId: string,
  hasOwnTopic = false,
  bundleIdentifier?: string,
): Outcome {
  const reason = reasonOf(answer);
  if (answer.status === 200) return delivered;
  if (answer.status === 410) return unregistered(answer.body);
  if (answer.status === 400 && !hasOwnTopic && badToken.has(reason)) return { outcome: 'unregistered' };
  const waitMs = retryAfterMs(answer.retryAfter, now);
  if (asksForLater(answer.status, waitMs)) throw new SendLater(reason, waitMs);
  if (answer.status === 403) throw refusal(reason, keyId, bundleIdentifier);
  return { outcome: 'rejected', reason };
}

function refusal(reason: string, keyId: string, bundleIdentifier: string | undefined): PlatformFault {
  if (bundleIdentifier === undefined || badProviderToken.has(reason))
    return new PlatformFault(`APNs refuses key ${keyId}: ${reason}`);
  return new PlatformFault(`APNs refuses key ${keyId} for ${bundleIdentifier}: ${reason}`, bundleIdentifier);
}
