import { isObject, isStorable } from '#common';
import type { ApnsEnvironment } from './apns-environment.js';
import type { Registration } from './device.repository.js';
import type { Platform } from './platform.js';

const maxBundleIdentifierLength = 512;
const maxMetadataLength = 256;

const metadataFields: Readonly<Record<Platform, readonly string[]>> = {
  apns: ['sdkVersion', 'iosVersion', 'macosVersion'],
  fcm: ['sdkVersion', 'androidVersion'],
  web: ['sdkVersion'],
};

/** The data of a checked registration. Checks are lenient: SDKs retry a refusal forever (beams-wire §0.8). */
export function registrationFrom(
  platform: Platform,
  body: {
    readonly token: string;
    readonly bundleIdentifier?: unknown;
    readonly environment?: ApnsEnvironment;
    readonly metadata?: unknown;
  },
): Registration {
  const { token, bundleIdentifier, environment, metadata } = body;
  return {
    platform,
    token: platform === 'apns' ? token.toLowerCase() : token,
    bundleIdentifier: storable(bundleIdentifier, maxBundleIdentifierLength),
    ...(environment !== undefined && { environment }),
    metadata: metadataFrom(platform, metadata),
  };
}

/** The versions that the platform's devices send; other fields are dropped. */
export function metadataFrom(platform: Platform, metadata: unknown): Readonly<Record<string, string>> {
  if (!isObject(metadata)) return {};
  const known = metadataFields[platform].map((field) => [field, storable(metadata[field], maxMetadataLength)] as const);
  return Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const storable = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && isStorable(value) ? value.slice(0, maxLength) : undefined;
