import { ArrayMaxSize, ArrayMinSize, IsArray, IsNotEmpty, IsString, Matches } from 'class-validator';
import {
  allOf,
  IsRequired,
  IsUnique,
  IsWebAddress,
  MaxBytes,
  NestedOpen,
  Optional,
  originalOf,
  rule,
  wholeRule,
} from '#common';
import { checkedBody, refusedWith } from '#http';
import { interestPattern, maxInterestLength, maxUserIdLength, platforms } from 'rookery/internal/push-device';
import { ApnsPayload, FcmPayload, WebPayload } from './payloads.js';
import { tooManyInterests } from './publish.errors.js';

/** JSON.parse accepts any depth, but later code that walks the value has a limited stack. */
const IsNestedAtMost = (levels: number): PropertyDecorator =>
  rule(
    'nestedAtMost',
    `must not be nested deeper than ${levels} levels`,
    (value) => !isDeeper(originalOf(value), levels),
    undefined,
    [levels],
  );

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

// Gateways accept at most 4 KiB, and no reasonable payload fills that with brackets.
const Payload = (of: Parameters<typeof NestedOpen>[0]): PropertyDecorator =>
  allOf(Optional(), IsNestedAtMost(100), NestedOpen(of));

const each = { each: true };

/** Common to all publishes: the webhook URL, and a payload for each target platform, at least one. */
@wholeRule<PublishBody>('anyOf', (body) => platforms.some((platform) => body[platform] !== undefined))
class PublishBody {
  /** Called when the publish starts and when it is finished (beams-wire §7.2). */
  @Optional()
  @IsString()
  @IsWebAddress()
  readonly webhookUrl?: string;
  @Payload(() => ApnsPayload)
  readonly apns?: ApnsPayload;
  @Payload(() => FcmPayload)
  readonly fcm?: FcmPayload;
  @Payload(() => WebPayload)
  readonly web?: WebPayload;
}

/** Of a publish (api § Publish request). */
export const maxInterests = 100;

/** Up to 100 distinct interests. */
const Interests = ({ least = 0 } = {}): PropertyDecorator =>
  allOf(
    IsArray(),
    ...(least > 0 ? [ArrayMinSize(least)] : []),
    ArrayMaxSize(maxInterests),
    IsString(each),
    MaxBytes(maxInterestLength, each),
    Matches(interestPattern, each),
    IsUnique(),
  );

const AtMostInAll = (): PropertyDecorator =>
  rule(
    'atMostInAll',
    `must be at most ${maxInterests} with those of allOf and noneOf`,
    (_interests, { interests, allOf, noneOf }: Partial<InterestsPublish>) =>
      [interests, allOf, noneOf].flatMap((names) => names ?? []).length <= maxInterests,
    refusedWith(tooManyInterests),
  );

/** The body of `POST …/publishes/interests` (api § Publish request), with additions to Beams: `allOf` and `noneOf`. */
export class InterestsPublish extends PublishBody {
  /** 1 to 100 distinct interests; a device that is subscribed to several of them gets one notification. */
  @IsRequired()
  @Interests({ least: 1 })
  @AtMostInAll()
  readonly interests!: readonly string[];
  /** Only devices that are also subscribed to all of these. All three lists together name at most 100 interests. */
  @Optional()
  @Interests()
  readonly allOf?: readonly string[];
  /** Only devices that are subscribed to none of these. */
  @Optional()
  @Interests()
  readonly noneOf?: readonly string[];
}

/**
 * The body of `POST …/publishes/users` (api § Publish request). It takes `webhookUrl`, because Node's types allow it
 * (beams-wire §3.1).
 */
export class UsersPublish extends PublishBody {
  /** 1 to 1000 distinct users, by the ids of their tokens; at most 164 bytes each. */
  @IsRequired()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @IsString(each)
  @IsNotEmpty(each)
  @MaxBytes(maxUserIdLength, each)
  // No storage accepts a NUL or half a surrogate pair, and no user id of the device API contains one.
  @Matches(/^[^\0\p{Surrogate}]+$/u, each)
  @IsUnique()
  readonly users!: readonly string[];
}

/** Parses a body of either kind, depending on its fields. @throws ApiError 422 with the API's message */
export const checkedPublish = (body: object): InterestsPublish | UsersPublish =>
  'users' in body ? checkedBody(UsersPublish, body) : checkedBody(InterestsPublish, body);
