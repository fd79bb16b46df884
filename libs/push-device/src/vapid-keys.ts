import { createECDH } from 'node:crypto';
import { rule } from '#common';

/** A VAPID key pair, base64url: 65-byte uncompressed public point, 32-byte private scalar. */
export interface VapidPair {
  readonly vapidPublicKey: string;
  readonly vapidPrivateKey: string;
}

/** Enough of a public key to tell it from any other. */
const nameLength = 16;

/** The name of a public key, kept with each browser that subscribes with it: its first 16 characters. */
export const vapidKeyName = (publicKey: string): string => unpadded(publicKey).slice(0, nameLength);

/** All pairs of an instance, by their names; the current one first, the oldest last. */
export const vapidPairs = (web: VapidPair & { readonly previous?: readonly VapidPair[] }) =>
  new Map([web, ...(web.previous ?? [])].map((pair) => [vapidKeyName(pair.vapidPublicKey), pair]));

/** Whether a message signed with the private key is verified with the public one. */
export function isVapidPair({ vapidPublicKey, vapidPrivateKey }: VapidPair): boolean {
  try {
    const keys = createECDH('prime256v1');
    keys.setPrivateKey(vapidPrivateKey, 'base64url');
    return keys.getPublicKey('base64url') === unpadded(vapidPublicKey);
  } catch {
    // The error could quote the key.
    return false;
  }
}

/** A rule of settings, of the private key beside its public one: see {@link isVapidPair}. */
export const IsOfVapidPair = (): PropertyDecorator =>
  rule(
    'isOfVapidPair',
    'must be the private key of vapidPublicKey in base64url',
    (_key, pair) => isVapidPair(pair as VapidPair), // Of the class that has the rule.
  );

const unpadded = (key: string): string => Buffer.from(key, 'base64url').toString('base64url');
