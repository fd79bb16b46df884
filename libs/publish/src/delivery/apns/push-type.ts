/** The suffix of the bundle identifier in `apns-topic`, for each `apns-push-type` that a provider token may send. */
const topicSuffixes = {
  alert: '',
  background: '',
  complication: '.complication',
  controls: '.push-type.controls',
  fileprovider: '.pushkit.fileprovider',
  liveactivity: '.push-type.liveactivity',
  location: '.location-query',
  pushtotalk: '.voip-ptt',
  voip: '.voip',
  widgets: '.push-type.widgets',
} as const;

/** Apple's push types; `mdm` is not among them, because it requires a certificate. */
export type ApnsPushType = keyof typeof topicSuffixes;

export const apnsPushTypes = Object.keys(topicSuffixes) as readonly ApnsPushType[]; // The object has only its own keys.

export const isPushType = (type: unknown): type is ApnsPushType =>
  typeof type === 'string' && Object.hasOwn(topicSuffixes, type);

/**
 * Whether the push goes to an extension, PushKit or the system, which have their own tokens, instead of the app's SDK.
 */
export const hasOwnTopic = (pushType: ApnsPushType): boolean => topicSuffixes[pushType] !== '';

/** The topic of a device's app. If the bundle identifier already ends with the suffix, it stays unchanged. */
export function topicOf(pushType: ApnsPushType, bundleIdentifier: string): string {
  const suffix = topicSuffixes[pushType];
  return bundleIdentifier.endsWith(suffix) ? bundleIdentifier : bundleIdentifier + suffix;
}
