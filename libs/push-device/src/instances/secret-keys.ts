import { createHash } from 'node:crypto';
import { sameSecret } from 'rookery/common';
import type { Instance } from './instance.js';

/** By what a secret key is named where it must not be shown: the beginning of its SHA-256 in hex. */
export const keyName = (secretKey: string): string => createHash('sha256').update(secretKey).digest('hex').slice(0, 12);

/** The keys that are good for an instance, the one that signs first. */
export const secretKeysOf = ({ secretKey, furtherSecretKeys = [] }: Instance): readonly string[] => [
  secretKey,
  ...furtherSecretKeys,
];

export const isKeyOf = (instance: Instance, given: string): boolean =>
  secretKeysOf(instance).some((key) => sameSecret(given, key));
