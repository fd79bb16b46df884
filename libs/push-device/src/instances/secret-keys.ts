import { createHash } from 'node:crypto';
import { sameSecret } from '#common';
import type { Instance } from '../instance.js';

/** The public name of a secret key: the beginning of its SHA-256 in hex. */
export const keyName = (secretKey: string): string => createHash('sha256').update(secretKey).digest('hex').slice(0, 12);

/** An instance's valid keys, the signing one first. */
export const secretKeysOf = (instance: Instance): readonly string[] => [
  instance.secretKey,
  ...validFurtherKeys(instance),
];

/** The additional keys that have not expired. */
export function validFurtherKeys(
  { furtherSecretKeys = [], secretKeysValidUntil }: Instance,
  now = Date.now(),
): readonly string[] {
  if (!secretKeysValidUntil) return furtherSecretKeys;
  return furtherSecretKeys.filter((key) => {
    const until = secretKeysValidUntil[keyName(key)];
    return until === undefined || now < Date.parse(until);
  });
}

export const isKeyOf = (instance: Instance, given: string): boolean =>
  secretKeysOf(instance).some((key) => sameSecret(given, key));
