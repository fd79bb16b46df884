/** A key and its secret. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
}

/** The current key of an app and additional valid keys, so that a secret can be rotated with zero downtime. */
export interface Credentials extends KeyPair {
  readonly keys?: readonly KeyPair[];
}

/** @returns the secret that belongs to a key; `undefined` for an unknown key */
export function secretOf(credentials: Credentials, key: string): string | undefined {
  if (credentials.key === key) return credentials.secret;
  return credentials.keys?.find((pair) => pair.key === key)?.secret;
}
