/** A key and its secret. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
}

/** An additional key. */
export interface FurtherKey extends KeyPair {
  /** From this time on it is invalid, in RFC 3339; absent: never. */
  readonly validUntil?: string;
}

/**
 * The current key of an app and additional valid keys, the latest first, so that a secret can be rotated with zero
 * downtime.
 */
export interface Credentials extends KeyPair {
  readonly keys?: readonly FurtherKey[];
}

/** @returns the secret that belongs to a key; `undefined` for an unknown or expired key */
export function secretOf(credentials: Credentials, key: string): string | undefined {
  if (credentials.key === key) return credentials.secret;
  const pair = credentials.keys?.find((each) => each.key === key);
  return pair && isValid(pair) ? pair.secret : undefined;
}

/**
 * The pair that signs webhooks: the oldest valid one (channels-wire §7), so that receivers have the new pair before the
 * first webhook that it signs.
 */
export const signingPair = ({ key, secret, keys = [] }: Credentials): KeyPair =>
  keys.findLast((pair) => isValid(pair)) ?? { key, secret };

export const isValid = ({ validUntil }: FurtherKey, now = Date.now()): boolean =>
  validUntil === undefined || now < Date.parse(validUntil);
