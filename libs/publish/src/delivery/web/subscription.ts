import { objectOr, parseJson } from '../json.js';

/** A browser's push subscription (beams-wire §2.2). */
export interface Subscription {
  readonly endpoint: string;
  /** The browser's public key: an uncompressed P-256 point. */
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** Parses the subscription in a web device's token, base64 of its JSON; `undefined` if it is invalid. */
export function parseSubscription(token: string): Subscription | undefined {
  const { endpoint, keys } = objectOr(parseJson(Buffer.from(token, 'base64').toString()));
  const { p256dh, auth } = objectOr(keys);
  if (typeof endpoint !== 'string' || typeof p256dh !== 'string' || typeof auth !== 'string') return undefined;
  const subscription = { endpoint, p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') };
  return hasValidKeys(subscription) ? subscription : undefined;
}

function hasValidKeys({ p256dh, auth }: Subscription): boolean {
  return p256dh.length === 65 && p256dh[0] === 4 && auth.length === 16;
}
