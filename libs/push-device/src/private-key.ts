import { createPrivateKey, type KeyObject } from 'node:crypto';
import { rule } from '#common';

/** RS256 requires it. */
const minRsaBits = 2048;

/**
 * Reads Apple's key, the text of a .p8 file: P-256 in PEM. Throws if it is another text.
 *
 * Where a text has one line, such as an environment variable, `\n` often stands for its line breaks.
 */
export function apnsKey(text: string): KeyObject {
  const key = keyIn(text);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a P-256 key');
  return key;
}

/** Reads Google's key, the `private_key` of a service account: RSA in PEM, see {@link apnsKey}. */
export function fcmKey(text: string): KeyObject {
  const key = keyIn(text);
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0 } = {} } = key;
  if (type !== 'rsa' || modulusLength < minRsaBits) throw new Error('not an RSA key of at least 2048 bits');
  return key;
}

export const isApnsKey = (text: unknown): boolean => isReadable(text, apnsKey);

/** A rule of settings: see {@link apnsKey}. */
export const IsApnsKey = (): PropertyDecorator => rule('isApnsKey', 'must be the text of an Apple .p8 file', isApnsKey);

/** A rule of settings: see {@link fcmKey}. */
export const IsFcmKey = (): PropertyDecorator =>
  rule('isFcmKey', 'must be the private_key of a Google service account file', (text) => isReadable(text, fcmKey));

const keyIn = (text: string): KeyObject => createPrivateKey(text.replaceAll(String.raw`\n`, '\n'));

function isReadable(text: unknown, read: (text: string) => KeyObject): boolean {
  try {
    return typeof text === 'string' && read(text) !== undefined;
  } catch {
    // The rule says what is expected; the error could quote the key.
    return false;
  }
}
