import { isObject, type JsonObject } from '../json.js';
import { maxTimeToLiveSeconds } from '../time-to-live.js';

/** Returns what is wrong with a value; `path` is its place in the body. */
type Rule = (value: unknown, path: string) => string | undefined;

type Fields = Readonly<Record<string, Rule>>;

const must =
  (be: string, is: (value: unknown) => boolean): Rule =>
  (value, path) =>
    is(value) ? undefined : `\`${path}\` must be ${be}`;

const isText = (value: unknown): value is string => typeof value === 'string';
const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    isText(value) && pattern.test(value);

const text = must('a text', isText);
const texts = must('a list of texts', (value) => Array.isArray(value) && value.every(isText));
const flag = must('true or false', (value) => typeof value === 'boolean' || matches(/^(true|false)$/)(value));
const count = must('a whole number', (value) => isNumber(value) && Number(value) === (Number(value) | 0));
const share = must('a number from 0 to 1', (value) => isNumber(value) && Number(value) >= 0 && Number(value) <= 1);
const color = must('a color such as "#1a2b3c"', matches(/^#[\da-f]{6}$/i));
const duration = must('a duration such as "3.5s"', matches(/^\d+(\.\d{1,9})?s$/));
const durations = must('a list of durations', (value) => Array.isArray(value) && value.every(isDuration));
const time = must(
  'a time such as "2026-01-31T12:00:00Z"',
  (value) => isText(value) && !Number.isNaN(Date.parse(value)),
);
const priority = must('"normal" or "high"', matches(/^(normal|high)$/i));
const anything: Rule = (value, path) => must('an object', isObject)(value, path);

/** Google takes numbers as texts, too. */
const isNumber = (value: unknown): boolean => typeof value === 'number' || matches(/^-?\d+(\.\d+)?$/)(value);

const isDuration = matches(/^\d+(\.\d{1,9})?s$/);

/** A value of an enumeration, by its name or number. */
const oneOf = (...names: readonly string[]): Rule =>
  must(
    `one of ${names.join(', ')}`,
    (value) => (isText(value) && names.includes(value)) || (Number.isInteger(value) && Number(value) in names),
  );

const object =
  (fields: Fields): Rule =>
  (value, path) => {
    if (!isObject(value)) return `\`${path}\` must be an object`;
    return faultIn(value, fields, `${path}.`);
  };

/** The first fault of the fields. Google takes null for an absent field. */
function faultIn(value: JsonObject, fields: Fields, prefix: string): string | undefined {
  for (const [name, field] of Object.entries(value)) {
    const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!rule) return `\`${prefix}${name}\` is not a field of FCM`;
    const fault = field === null ? undefined : rule(field, prefix + name);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The names that Google's reference of `data` reserves. */
const reserved = /^(from|message_type)$|^(google|gcm\.notification)\./;

const data: Rule = (value, path) => {
  if (!isObject(value)) return `\`${path}\` must be an object`;
  const name = Object.keys(value).find((key) => reserved.test(key));
  return name === undefined ? undefined : `\`${path}.${name}\` is a name that FCM reserves`;
};

const localized: Fields = {
  body_loc_key: text,
  body_loc_args: texts,
  title_loc_key: text,
  title_loc_args: texts,
};

/** Those of `AndroidNotification` and of `AndroidNotificationV2`. */
const notification: Fields = {
  ...localized,
  title: text,
  body: text,
  icon: text,
  color,
  sound: text,
  tag: text,
  click_action: text,
  channel_id: text,
  ticker: text,
  sticky: flag,
  event_time: time,
  local_only: flag,
  notification_priority: oneOf(
    'PRIORITY_UNSPECIFIED',
    'PRIORITY_MIN',
    'PRIORITY_LOW',
    'PRIORITY_DEFAULT',
    'PRIORITY_HIGH',
    'PRIORITY_MAX',
  ),
  default_sound: flag,
  default_vibrate_timings: flag,
  default_light_settings: flag,
  vibrate_timings: durations,
  visibility: oneOf('VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'),
  notification_count: count,
  light_settings: object({
    color: object({ red: share, green: share, blue: share, alpha: share }),
    light_on_duration: duration,
    light_off_duration: duration,
  }),
  image: text,
};

const androidNotification: Fields = {
  ...notification,
  bypass_proxy_notification: flag,
  proxy: oneOf('PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'),
};

const options = object({
  analytics_label: must('1 to 50 of the characters a-zA-Z0-9-_.~%', matches(/^[\w.~%-]{1,50}$/)),
});

const ttl = must(
  `a duration such as "60s", of at most ${maxTimeToLiveSeconds} s`,
  (value) => isDuration(value) && Number.parseFloat(String(value)) <= maxTimeToLiveSeconds,
);

/** Those of `AndroidConfig` and of `AndroidConfigV2`. */
const config: Fields = {
  collapse_key: text,
  ttl,
  restricted_package_name: text,
  data,
  fcm_options: options,
  direct_boot_ok: flag,
  bandwidth_constrained_ok: flag,
  restricted_satellite_ok: flag,
};

const android: Fields = { ...config, priority, notification: object(androidNotification) };

const androidV2: Fields = {
  ...config,
  remote_notification: object({
    mutable_content: flag,
    use_as_v1_data_message: flag,
    notification: object({ ...notification, id: count, light_settings: anything }),
  }),
  background_sync: anything,
};

const ignored: Rule = () => undefined;
/** The names of other targets and of settings for iOS are dropped, whatever they are. */
const dropped = (names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, ignored]));

/**
 * The body of a publish for FCM: legacy names beside those of v1 (beams-wire §11.2), in snake case. Fields that Google
 * would refuse on every device are faults. The fields, their types and the reserved names are those of
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages and of the discovery document
 * https://fcm.googleapis.com/$discovery/rest?version=v1, as published in September 2026.
 */
export function fcmFault(payload: JsonObject, droppedNames: readonly string[], iosOnly: readonly string[]) {
  if (isObject(payload.android) && isObject(payload.android_v2)) return '`android` and `android_v2` exclude each other';
  const fields: Fields = {
    ...dropped(droppedNames),
    notification: object({ ...dropped(iosOnly), ...androidNotification, android_channel_id: text }),
    data,
    android: object(android),
    android_v2: object(androidV2),
    priority,
    time_to_live: must('a number of seconds', (value) => /^\d+(\.\d+)?$/.test(String(value)) && !isObject(value)),
    collapse_key: text,
    restricted_package_name: text,
    fcm_options: options,
    webpush: anything,
    apns: anything,
    name: text,
  };
  return faultIn(payload, fields, '');
}
