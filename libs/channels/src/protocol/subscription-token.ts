import { hmacHex, sameSecret } from '#common';
import { type Credentials, type KeyPair, secretsOf } from './credentials.js';
import { ProtocolError } from './protocol-error.js';

/** The text to sign to join a private or presence channel; `channelData` byte for byte as sent (channels-wire §3.1). */
export function subscriptionText(socketId: string, channel: string, channelData?: string): string {
  return channelData === undefined ? `${socketId}:${channel}` : `${socketId}:${channel}:${channelData}`;
}

/** The text to sign to sign a user in (§3.6). */
export function signinText(socketId: string, userData: string): string {
  return `${socketId}::user::${userData}`;
}

/** The token `<key>:<hex HMAC-SHA256>` that an application's auth endpoint returns for a text. */
export function tokenFor({ key, secret }: KeyPair, text: string): string {
  return `${key}:${hmacHex(secret, text)}`;
}

/** Throws the protocol's error when `auth` is not the token for `text` (§3.3). */
export function verifyToken(app: Credentials, text: string, auth: string): void {
  const colon = auth.indexOf(':');
  const key = auth.slice(0, Math.max(colon, 0));
  const given = auth.slice(colon + 1);
  const secrets = secretsOf(app, key);
  if (secrets.length === 0) throw ProtocolError.invalidKey(key.slice(0, 100));
  if (!secrets.some((secret) => sameSecret(given, hmacHex(secret, text))))
    throw ProtocolError.invalidSignature(text.slice(0, 1000), given.slice(0, 100));
}
