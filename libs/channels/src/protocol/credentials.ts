/** A key and the secret that signs what names the key. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
}

/** The current key of an app, and others that are good as well, so that a secret can be replaced without a cut. */
export interface Credentials extends KeyPair {
  readonly keys?: readonly KeyPair[];
}

/** @returns the secret that belongs to a key; `undefined` when it is none of theirs */
export function secretOf(credentials: Credentials, key: string): string | undefined {
  if (credentials.key === key) return credentials.secret;
  return credentials.keys?.find((pair) => pair.key === key)?.secret;
}
