import type { Platform } from 'rookery/push-device';
import type { PlatformTotals } from './outbox/platform-totals.js';
import type { Advisor } from './wings/wing.js';
import { adviceOfWings } from './wings/advice.js';

/** Why some devices of a publish got nothing, or not yet, and what to do about it. For people: the texts may change. */
export interface Explanation {
  /** As in `failed`; for devices that wait for a retry, the reason of the last deferral. */
  readonly reason: string;
  readonly devices: number;
  readonly meaning: string;
  readonly action: string;
}

type Advice = Pick<Explanation, 'meaning' | 'action'>;

const credentials = 'Correct the credentials of the instance. Rookery then sends to the devices that still wait.';
const payload = 'Correct the payload of the publish; docs/protocol/beams-wire.md, section 5, names the fields.';
const later = 'You need do nothing: Rookery retries until the time to live ends.';
const configured = 'Use the credentials of the application with which these devices registered.';

/** The reasons that several platforms have. */
const common: readonly Advisor[] = [
  [
    /^unregistered$/,
    'The application was removed, or its permission withdrawn, so the token is no longer valid.',
    'You need do nothing, unless nearly all are gone: then check the key and the project. A device registers again when its user comes back.',
  ],
  [
    /^Expired$/,
    'The time to live ended before these devices could be sent to.',
    'Set a longer time to live, or run more processes if the queue is long.',
  ],
  [/^Cancelled$/, 'The publish was cancelled while these devices waited for a retry.', 'Publish again to send it.'],
  [/^Deleted$/, 'The device was deleted while it waited for a retry.', 'You need do nothing.'],
  [
    // In Apple's words and in Google's.
    /^PlatformFault: .*(ExpiredProviderToken|invalid_grant.*timeframe)/s,
    'The push service refused the time in the credentials: the clock of this server is wrong.',
    'Set the clock, as NTP does. Rookery then sends to the devices that still wait.',
  ],
  [
    /^PlatformFault: Instance \S+ has no /,
    'The instance has no credentials for this platform.',
    'Give it credentials, and publish again.',
  ],
  [/^PlatformFault/, 'The push service refused the credentials, the project or the app, not the devices.', credentials],
  [/^InternalError$/, 'The gateway failed unexpectedly.', 'Read the error in the log of the server.'],
  [
    /^(NoAccessToken \()?Unreachable \((UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_|INVALID_CA)/,
    'The certificate that was presented is not trusted, as behind a proxy that reads TLS.',
    'Name the file of its certificate authority in NODE_EXTRA_CA_CERTS. Rookery retries until the time to live ends.',
  ],
  [
    /^Unreachable \(NoHttp2\)/,
    'The endpoint, or a proxy in between, speaks no HTTP/2, which the push service needs.',
    'Let connections to the push service pass as they are, and check `endpoint`. Rookery retries until the time to live ends.',
  ],
  [
    /^(NoAccessToken \()?Unreachable \(PROXY_/,
    'The proxy that HTTPS_PROXY names opened no connection to the push service.',
    'Check its address, user and password, and that it allows CONNECT. Rookery retries until the time to live ends.',
  ],
  [
    /^(Timeout|Closed|ConnectionLost|Unanswered|Unreachable( \(.*\))?)$/,
    'The push service did not answer.',
    'Check that the server reaches it: firewall, proxy and DNS. Rookery retries until the time to live ends.',
  ],
  [
    /^HTTP (414|431)$/,
    'The device registered a token or an endpoint that is longer than any that push services issue.',
    'You need do nothing: anyone can register such a device.',
  ],
  [/^(PayloadTooLarge|HTTP 413)$/, 'The payload is larger than the push service accepts.', 'Shorten the payload.'],
  [
    /^(HTTP (408|409|423|425|499|5\d\d)|InternalServerError|ServiceUnavailable|Shutdown|INTERNAL|UNAVAILABLE|ABORTED|CANCELLED)$/,
    'The push service has a problem of its own.',
    later,
  ],
];

const byPlatform: Readonly<Record<Platform, readonly Advisor[]>> = {
  fcm: [
    [
      /^(ProjectQuota|QUOTA_EXCEEDED|RESOURCE_EXHAUSTED|HTTP 429)$/,
      'The quota of the Firebase project is used up: Google limits how many messages a project sends in a minute.',
      `${later} If Google has raised the quota, raise publish.fcmPerMinute; otherwise ask Google to raise it.`,
    ],
    [
      /^NoAccessToken \((Timeout|Unreachable)/,
      'The address that issues access tokens did not answer: `token_uri` of the service account, or oauth2.googleapis.com.',
      'Check that the server reaches it: firewall, proxy and DNS. Rookery retries until the time to live ends.',
    ],
    [/^NoAccessToken/, 'Google issues no access tokens at the moment.', later],
    [/^SENDER_ID_MISMATCH$/, 'The token belongs to another Firebase project.', configured],
    [
      /^THIRD_PARTY_AUTH_ERROR$/,
      'Firebase has no valid APNs or web push credentials for this device.',
      "Upload them in the Firebase console, in the project's Cloud Messaging settings.",
    ],
    [/^INVALID_ARGUMENT$/, 'Google refuses the payload.', payload],
  ],
  apns: [
    [
      /^(TooManyRequests|HTTP 429)$/,
      'Apple limits how many notifications a single device or broadcast channel gets in a short time.',
      `${later} Publish less often to the same devices, or use collapse_id.`,
    ],
    [
      /^RefusedBySandbox$/,
      "Apple's sandbox refuses the key or the app; the log of the server has its reason.",
      'Use a key that Apple allows in both environments.',
    ],
    [/^TooManyProviderTokenUpdates$/, 'The key signed too many tokens for Apple.', later],
    [
      /^(MissingTopic|BadTopic|TopicDisallowed)$/,
      "The devices' bundle identifier is missing or not allowed for the key.",
      configured,
    ],
    [
      /^(BadDeviceToken|DeviceTokenNotForTopic)$/,
      'The token has the wrong kind or belongs to another application.',
      configured,
    ],
    [/^(Bad|Invalid|Missing|Payload|Duplicate)\w+$/, 'Apple refuses the payload or one of its headers.', payload],
  ],
  web: [
    [
      /^TooManyMessages/,
      'The push service limits this site: Chrome does so with sites whose notifications users find disruptive.',
      `${later} Send fewer notifications, and only to users who react to them; the limit then ends by itself.`,
    ],
    [
      /^HTTP 40[13]$/,
      'The push service does not accept the VAPID key for these subscriptions: pages subscribed with another one.',
      'Add the VAPID pair with which pages subscribed to web.previous, or let the pages subscribe again.',
    ],
    [
      /^UnknownVapidKey$/,
      'The pages subscribed with a VAPID pair that the instance no longer has.',
      'Add that pair to web.previous, or let the pages subscribe again.',
    ],
    [
      /^InvalidSubscription$/,
      'The subscription that the page registered cannot be used.',
      'Register the device again.',
    ],
    [
      /^UnsafeUrl/,
      'The endpoint is not that of a known push service, or its address is private.',
      'If you trust the host, add it to webPushHosts; otherwise do nothing: anyone can register an endpoint.',
    ],
    [/^HTTP 4\d\d$/, 'The push service refuses the message.', payload],
  ],
};

/** The explanations of a platform's part of a publish, those of most devices first. */
export function explanationsOf(
  platform: Platform,
  { failed = {}, deferral, fault }: Pick<Partial<PlatformTotals>, 'failed' | 'deferral' | 'fault'>,
  retrying: number,
): readonly Explanation[] {
  const waiting = retrying > 0 && deferral !== undefined ? [[deferral, retrying] as const] : [];
  return [...Object.entries(failed), ...waiting]
    .map(([reason, devices]) => ({ reason, devices, ...adviceOn(platform, reason, fault) }))
    .toSorted((one, other) => other.devices - one.devices);
}

/** @param fault what the push service said of the credentials */
export function adviceOn(platform: Platform, reason: string, fault = ''): Advice {
  const advisors = [...common, ...adviceOfWings.flatMap((advice) => advice[platform] ?? []), ...byPlatform[platform]];
  const text = reason === 'PlatformFault' ? `${reason}: ${fault}` : reason;
  const [, meaning, action] = advisors.find(([pattern]) => pattern.test(text)) ?? unknown;
  return { meaning, action };
}

const unknown: Advisor = [
  /^/,
  'Rookery does not know this reason of the push service.',
  "Look it up in the push service's documentation.",
];
