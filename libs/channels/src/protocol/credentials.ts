/** A key and its secret. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
}

/** An additional key, or an old secret of the current one. */
export interface FurtherKey extends KeyPair {
  /** From this time on it is invalid, in RFC 3339; absent: never. */
  readonly validUntil?: string;
}

/**
 * The current pair of an app and additional valid ones, the latest first, so that a secret can be rotated with zero
 * downtime: with another key, or with the same.
 */
export interface Credentials extends KeyPair {
  readonly keys?: readonly FurtherKey[];
}

/** @returns the latest secret of a key, which signs; `undefined` for an unknown or expired key */
export function secretOf({ key: current, secret, keys }: Credentials, key: string): string | undefined {
  return current === key ? secret : keys?.find((each) => each.key === key && isValid(each))?.secret;
}

/** @returns all valid secrets of a key, the latest first: a signature with any of them is accepted */
export function secretsOf({ key: current, secret, keys = [] }: Credentials, key: string): readonly string[] {
  const old = keys.filter((each) => each.key === key && isValid(each)).map((each) => each.secret);
  return current === key ? [secret, ...old] : old;
}

/** @returns all valid secrets, of whatever key, the latest first */
export const validSecretsOf = ({ secret, keys = [] }: Credentials): readonly string[] => [
  secret,
  ...keys.filter((each) => isValid(each)).map((each) => each.secret),
];

/**
 * The pair that signs webhooks: the oldest valid one (channels-wire §7), so that receivers have the new pair before the
 * first webhook that it signs.
 */
export const signingPair = ({ key, secret, keys = [] }: Credentials): KeyPair =>
  keys.findLast((pair) => isValid(pair)) ?? { key, secret };

export const isValid = ({ validUntil }: FurtherKey, now = Date.now()): boolean =>
  validUntil === undefined || now < Date.parse(validUntil);

export function hasPairTwice({ key, secret, keys = [] }: Credentials): boolean {
  const pairs = [{ key, secret }, ...keys].map((pair) => JSON.stringify([pair.key, pair.secret]));
  return new Set(pairs).size < pairs.length;
}
