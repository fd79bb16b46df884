import { isEmpty, isObject, objectOr, parseJson, without, type JsonObject } from '../json.js';
import { inSnakeCase } from './field-names.js';
import { fcmFault } from './fcm-schema.js';
import type { Notification } from '../push.gateway.js';
import { maxTimeToLiveSeconds, secondsLeft, timeToLiveSeconds } from '../time-to-live.js';

/** The body of `messages:send`, split at the device's token and encoded once for all devices. */
export interface FcmMessage {
  readonly beforeToken: Buffer;
  readonly afterToken: Buffer;
  readonly ttlMs: number;
}

/** The body for one device. */
export function fcmBody({ beforeToken, afterToken }: FcmMessage, token: string): Buffer {
  return Buffer.concat([beforeToken, Buffer.from(JSON.stringify(token)), afterToken]);
}

const maxBytes = 4096;
/** The SDK's activity for this action reports the open and then starts the customer's own action (beams-wire §5.3). */
const openTracking = 'com.pusher.pushnotifications.OPEN_TRACKING';

/** Legacy keys that move elsewhere in v1, name another target, or are for iOS only. */
const moved = [
  'notification',
  'data',
  'android',
  'android_v2',
  'priority',
  'time_to_live',
  'collapse_key',
  'restricted_package_name',
];
const targets = ['to', 'registration_ids', 'condition', 'token', 'topic', 'fid', 'notification_key', 'operation'];
const dropped = ['dry_run', 'content_available', 'mutable_content', 'delay_while_idle', 'pusher'];
const notPassedOn = [...moved, ...targets, ...dropped];
const onlyForIos = ['badge', 'subtitle'];

type Facts = Pick<Notification, 'payload' | 'publishId'> & { readonly instance: { readonly id: string } };

/** Converts a legacy message to an FCM v1 message that carries `data.pusher` (§5.3, §11.2). */
export function fcmMessage(facts: Facts, passed: number): FcmMessage | { readonly rejected: string } {
  const payload = withLists(inSnakeCase(facts.payload));
  const rejected = fcmFault(payload, [...targets, ...dropped], onlyForIos);
  if (rejected !== undefined) return { rejected };
  const message = v1Message({ ...facts, payload }, passed);
  if (payloadBytes(message) > maxBytes) return { rejected: 'PayloadTooLarge' };
  return {
    beforeToken: Buffer.from(`{"message":{${JSON.stringify(message).slice(1, -1)},"token":`),
    afterToken: Buffer.from(payload.dry_run === true ? '},"validate_only":true}' : '}}'),
    ttlMs: ttlSeconds(payload) * 1000,
  };
}

/** The legacy API took the arguments of localized texts as JSON texts. */
function withLists(payload: JsonObject): JsonObject {
  const { notification } = payload;
  if (!isObject(notification)) return payload;
  const lists = ['title_loc_args', 'body_loc_args'].flatMap((name) => {
    const given = notification[name];
    const list = typeof given === 'string' ? parseJson(given) : undefined;
    return Array.isArray(list) ? [[name, list] as const] : [];
  });
  return { ...payload, notification: { ...notification, ...Object.fromEntries(lists) } };
}

/** What the customer wrote for v1: `android`, or `android_v2`, which replaces it. */
const configOf = ({ android, android_v2 }: JsonObject): JsonObject => objectOr(android_v2 ?? android);

const notificationOf = (config: JsonObject): unknown =>
  config.notification ?? objectOr(config.remote_notification).notification;

/** The data of both places; those written for v1 override the others. */
const dataOf = (payload: JsonObject): JsonObject => ({
  ...objectOr(payload.data),
  ...objectOr(configOf(payload).data),
});

interface V1Message {
  readonly notification?: JsonObject;
  readonly data: JsonObject;
  readonly android?: JsonObject;
  readonly android_v2?: JsonObject;
}

function v1Message(facts: Facts, passed: number): V1Message {
  const { payload } = facts;
  const shown = isShown(payload);
  const { title, body } = objectOr(payload.notification);
  return {
    ...without(payload, notPassedOn),
    ...(isObject(payload.notification) && { notification: { title, body } }),
    data: { ...strings(dataOf(payload)), pusher: JSON.stringify(pusherData(facts, shown)) },
    ...(isObject(payload.android_v2)
      ? { android_v2: androidConfigV2(payload, passed) }
      : { android: androidConfig(payload, shown, passed) }),
  };
}

function isShown(payload: JsonObject): boolean {
  return isObject(payload.notification) || isObject(notificationOf(configOf(payload)));
}

/** `{"instanceId":"…","hasDisplayableContent":true,"publishId":"pubid-…","hasData":true,"clickAction":"…"}`: no false flags. */
function pusherData({ payload, publishId, instance }: Facts, shown: boolean): JsonObject {
  const clickAction = androidNotification(payload).click_action;
  return {
    instanceId: instance.id,
    ...(shown && { hasDisplayableContent: true }),
    publishId,
    ...(!isEmpty(dataOf(payload)) && { hasData: true }),
    ...(shown && clickAction !== undefined && { clickAction }),
  };
}

/** The customer's v1 `android` settings override the legacy keys. */
function androidConfig(payload: JsonObject, shown: boolean, passed: number): JsonObject {
  return {
    ...commonConfig(payload, passed),
    priority: priority(objectOr(payload.android).priority ?? payload.priority, shown),
    ...(shown && { notification: tracked(payload) }),
  };
}

/** Its kind of message decides on the priority. */
function androidConfigV2(payload: JsonObject, passed: number): JsonObject {
  const { remote_notification: remote } = objectOr(payload.android_v2);
  return {
    ...commonConfig(payload, passed),
    ...(isObject(remote) && { remote_notification: { ...remote, notification: tracked(payload) } }),
  };
}

function commonConfig(payload: JsonObject, passed: number): JsonObject {
  const { collapse_key, restricted_package_name } = payload;
  return {
    ...(collapse_key !== undefined && { collapse_key }),
    ...(restricted_package_name !== undefined && { restricted_package_name }),
    ...without(configOf(payload), ['data']),
    ...ttl(payload, passed),
  };
}

const tracked = (payload: JsonObject): JsonObject => ({ ...androidNotification(payload), click_action: openTracking });

/** The legacy names equal v1's, except for the channel; unknown names pass through, because v1 has many more. */
function androidNotification(payload: JsonObject): JsonObject {
  const { android_channel_id: channel, ...legacy } = objectOr(payload.notification);
  return {
    ...without(legacy, ['title', 'body', ...onlyForIos]),
    ...(channel !== undefined && { channel_id: channel }),
    ...objectOr(notificationOf(configOf(payload))),
  };
}

function priority(given: unknown, shown: boolean): string {
  if (typeof given === 'string') return given.toUpperCase();
  return shown ? 'HIGH' : 'NORMAL';
}

/** FCM accepts only strings: `Invalid value at 'message.data[0].value' (TYPE_STRING)` otherwise. */
function strings(data: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Counts only what the device receives: the notification and the data. */
function payloadBytes({ notification, data, ...message }: V1Message): number {
  const shown = { ...notification, ...objectOr(notificationOf(configOf(message))) };
  return Buffer.byteLength(JSON.stringify(isEmpty(shown) ? { data } : { notification: shown, data }));
}

const givenTtl = (payload: JsonObject): unknown => configOf(payload).ttl ?? payload.time_to_live;

function ttlSeconds(payload: JsonObject): number {
  const given = givenTtl(payload);
  return given === undefined ? maxTimeToLiveSeconds : timeToLiveSeconds(given);
}

/** Without a TTL, Google's own default is equally long. */
function ttl(payload: JsonObject, passed: number): JsonObject {
  return givenTtl(payload) === undefined ? {} : { ttl: `${secondsLeft(ttlSeconds(payload), passed)}s` };
}
