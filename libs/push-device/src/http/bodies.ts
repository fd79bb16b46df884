import { Allow, IsArray, IsIn } from 'class-validator';
import { allOf, isStorable, IsText, Open, Optional, rule } from '#common';
import { type ApiError, refusedWith } from '#http';
import { type ApnsEnvironment, apnsEnvironments } from '../apns-environment.js';
import { apnsTokenPattern, isApnsToken } from '../apns-token.js';
import { maxInterestsPerDevice } from '../device.repository.js';
import { interestPattern, isInterest } from '../interest.js';
import type { Platform } from '../platform.js';
import { refusals } from '../push-device.errors.js';

// The bodies of the device API, each rule with the refusal of beams-wire §8. Unknown fields are allowed: SDKs send more
// fields than these, and retry a refused registration forever (beams-wire §0.8).

/** Longer than any gateway's tokens; PushSubscriptions are the longest. */
const maxTokenLength = 8192;

/** Whether a gateway may have issued it; the first notification shows if it did. */
const IsToken = (refusal: () => ApiError): PropertyDecorator =>
  rule(
    'isToken',
    `must be a text of at most ${maxTokenLength} characters`,
    (value) => typeof value === 'string' && value.length <= maxTokenLength && isStorable(value),
    refusedWith(refusal),
  );

const IsTokenOf = (platform: Platform, wrong: () => ApiError): PropertyDecorator =>
  allOf(IsText(refusedWith(() => refusals.missingToken(platform))), IsToken(wrong));

/** A longer one would be too large for a request to Apple, which it names in its path. */
const IsApnsToken = (): PropertyDecorator =>
  allOf(
    IsText(refusedWith(() => refusals.missingToken('apns'))),
    rule(
      'isApnsToken',
      'must be at most 200 hexadecimal digits',
      isApnsToken,
      refusedWith(() => refusals.incorrectToken('apns')),
      [apnsTokenPattern.source],
    ),
  );

/** A device's metadata; its versions are kept, all other fields are dropped. */
@Open()
export class DeviceMetadata {
  /** The version of the push SDK. */
  @Allow()
  readonly sdkVersion?: unknown;
  @Allow()
  readonly iosVersion?: unknown;
  @Allow()
  readonly macosVersion?: unknown;
  @Allow()
  readonly androidVersion?: unknown;
}

/** The body of `POST …/devices/apns`. */
@Open()
export class ApnsRegistration {
  /** Apple's device token in hexadecimal. */
  @IsApnsToken()
  readonly token!: string;
  @rule(
    'isBundleIdentifier',
    'must be a text that is not empty',
    (value) => typeof value === 'string' && value !== '' && isStorable(value),
    refusedWith(refusals.missingBundleIdentifier),
  )
  readonly bundleIdentifier!: string;
  /** Apple's push-to-start token of the device, in hexadecimal: an addition to Beams. */
  @Optional()
  @IsApnsToken()
  readonly startToken?: string;
  /** Apple's environment that issued the tokens, for instances that serve both: an addition to Beams. */
  @Optional()
  @IsIn(apnsEnvironments, refusedWith(refusals.unknownEnvironment))
  readonly environment?: ApnsEnvironment;
  @Allow()
  readonly metadata?: unknown;
}

/** The body of `POST …/devices/fcm`. */
@Open()
export class FcmRegistration {
  /** Google's registration token. */
  @IsTokenOf('fcm', () => refusals.incorrectToken('fcm'))
  readonly token!: string;
  /** Android registers without one (beams-wire §0.4). */
  @Allow()
  readonly bundleIdentifier?: unknown;
  @Allow()
  readonly metadata?: unknown;
}

/** The body of `POST …/devices/web`. */
@Open()
export class WebRegistration {
  /** The base64 of a PushSubscription's JSON (beams-wire §2.2). */
  @IsTokenOf('web', () => refusals.invalidToken('web'))
  readonly token!: string;
  @Allow()
  readonly bundleIdentifier?: unknown;
  @Allow()
  readonly metadata?: unknown;
}

export type DeviceRegistration = ApnsRegistration | FcmRegistration | WebRegistration;

/** The class of a registration's body. */
export const registrationOf = { apns: ApnsRegistration, fcm: FcmRegistration, web: WebRegistration } as const;

/** The body of `PUT …/devices/fcm/<id>/token`. */
@Open()
export class TokenUpdate {
  /** The new registration token. */
  @IsText(refusedWith(refusals.missingTokenField))
  @IsToken(() => refusals.invalidToken('fcm'))
  readonly token!: string;
}

/** The body of `PUT …/interests`. */
@Open()
export class InterestSet {
  /** At most 5000 names; duplicates count once. */
  @IsArray(refusedWith(refusals.missingInterests))
  @rule(
    'isInterest',
    'must be the name of an interest',
    isInterest,
    refusedWith(refusals.invalidInterest, { each: true }),
    [interestPattern.source],
  )
  @rule(
    'isInterestSet',
    `must be at most ${maxInterestsPerDevice} names`,
    (names) => Array.isArray(names) && new Set(names).size <= maxInterestsPerDevice,
    refusedWith(refusals.tooManyInterests),
  )
  readonly interests!: readonly string[];
}
