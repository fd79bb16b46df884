import { isObject, type JsonObject } from 'rookery/common';
import type { Registration } from './device.repository.js';
import type { Platform } from './platform.js';
import { refusals } from './push-device.errors.js';
import { isStorable } from './user-id.js';
import { parseWebToken } from './web-subscription.js';

/** More than any gateway's tokens have; PushSubscriptions are the longest. */
const maxTokenLength = 8192;
const maxBundleIdentifierLength = 512;
const maxMetadataLength = 256;

const metadataFields: Readonly<Record<Platform, readonly string[]>> = {
  apns: ['sdkVersion', 'iosVersion', 'macosVersion'],
  fcm: ['sdkVersion', 'androidVersion'],
  web: ['sdkVersion'],
};

/** What a registration's body says, or its refusal. Lenient: SDKs retry a refusal for ever (beams-wire §0.8). */
export function parseRegistration(platform: Platform, body: JsonObject, { allowHttp = false } = {}): Registration {
  const token = body['token'];
  if (typeof token !== 'string' || token === '') throw refusals.missingToken(platform);
  if (platform === 'web') assertWebToken(token, allowHttp);
  else if (!isToken(token)) throw refusals.incorrectToken(platform);
  const bundleIdentifier = parseBundleIdentifier(body['bundleIdentifier']);
  // Android and web register without one (§0.4).
  if (platform === 'apns' && !bundleIdentifier) throw refusals.missingBundleIdentifier();
  return { platform, token, bundleIdentifier, metadata: parseMetadata(platform, body['metadata']) };
}

/** The new token of a device (`PUT …/token`). */
export function parseTokenUpdate(platform: Platform, { token }: JsonObject): string {
  if (typeof token !== 'string' || token === '') throw refusals.missingTokenField();
  if (!isToken(token)) throw refusals.invalidToken(platform);
  return token;
}

/** What a gateway may have given: whether it did, the first notification tells. */
const isToken = (token: string): boolean => token.length <= maxTokenLength && isStorable(token);

function assertWebToken(token: string, allowHttp: boolean): void {
  if (!isToken(token)) throw refusals.invalidToken('web');
  parseWebToken(token, { allowHttp });
}

function parseBundleIdentifier(value: unknown): string | undefined {
  if (typeof value !== 'string' || !isStorable(value)) return undefined;
  return value.slice(0, maxBundleIdentifierLength);
}

/** The versions a platform's devices tell of themselves; whatever else stands there is left out. */
export function parseMetadata(platform: Platform, metadata: unknown): Readonly<Record<string, string>> {
  if (!isObject(metadata)) return {};
  const known = metadataFields[platform].map((field) => [field, metadata[field]] as const);
  return Object.fromEntries(
    known
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && isStorable(entry[1]))
      .map(([field, version]) => [field, version.slice(0, maxMetadataLength)]),
  );
}
