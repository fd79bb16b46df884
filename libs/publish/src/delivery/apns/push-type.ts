import type { JsonObject } from '../json.js';
import { activityPush } from './live-activities/activity-push.js';

/** What one type of push has of its own. */
export interface OwnPush {
  /** The suffix of the bundle identifier in `apns-topic`. */
  readonly suffix: string;
  /** The most bytes of a body. @default 4096 */
  readonly maxBytes?: number;
  /** The time to live, if the publish gives none. @default none: Apple keeps trying for up to 30 days */
  readonly defaultSeconds?: number;
  /** Why devices would ignore the payload. */
  readonly fault?: (payload: JsonObject) => string | undefined;
  /** The payload with the fields that devices need. */
  readonly complete?: (payload: JsonObject, publishedAt: number) => JsonObject;
}

const pushTypes = {
  alert: { suffix: '' },
  background: { suffix: '' },
  complication: { suffix: '.complication' },
  controls: { suffix: '.push-type.controls' },
  fileprovider: { suffix: '.pushkit.fileprovider' },
  liveactivity: activityPush,
  location: { suffix: '.location-query' },
  // Talk is worth one try.
  pushtotalk: { suffix: '.voip-ptt', defaultSeconds: 0 },
  // A call should not ring once the caller has given up.
  voip: { suffix: '.voip', maxBytes: 5120, defaultSeconds: 30 },
  widgets: { suffix: '.push-type.widgets' },
} satisfies Readonly<Record<string, OwnPush>>;

/** Apple's push types that a provider token may send; `mdm` is not among them, because it requires a certificate. */
export type ApnsPushType = keyof typeof pushTypes;

export const apnsPushTypes = Object.keys(pushTypes) as readonly ApnsPushType[]; // The object has only its own keys.

export const isPushType = (type: unknown): type is ApnsPushType =>
  typeof type === 'string' && Object.hasOwn(pushTypes, type);

export const ownOf = (pushType: ApnsPushType): OwnPush => pushTypes[pushType];

/**
 * Whether the push goes to an extension, PushKit or the system, which have their own tokens, instead of the app's SDK.
 */
export const hasOwnTopic = (pushType: ApnsPushType): boolean => pushTypes[pushType].suffix !== '';

/** The topic of a device's app. If the bundle identifier already ends with the suffix, it stays unchanged. */
export function topicOf(pushType: ApnsPushType, bundleIdentifier: string): string {
  const { suffix } = pushTypes[pushType];
  return bundleIdentifier.endsWith(suffix) ? bundleIdentifier : bundleIdentifier + suffix;
}
