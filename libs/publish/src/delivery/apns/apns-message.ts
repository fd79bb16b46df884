import { isObject, objectOr, without, type JsonObject } from '../json.js';
import type { Notification } from '../push.gateway.js';
import { type ApnsPushType, hasOwnTopic, isPushType, ownOf } from './push-type.js';

/** The parts of an APNs request that are the same for all devices (beams-wire §5.2, §11.1). */
export interface ApnsMessage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly pushType: ApnsPushType;
  readonly ttlMs: number;
}

const defaultMaxBytes = 4096;
/** Beams' clients send numbers; some customers send strings. */
const priorities: readonly unknown[] = [1, 5, 10, '1', '5', '10'];
const maxCollapseIdBytes = 64;
/** Apple keeps a notification without an expiration for up to 30 days. */
const defaultTtlMs = 30 * 24 * 3600 * 1000;

type Facts = Pick<Notification, 'payload' | 'publishId' | 'publishedAt'> & {
  readonly instance: { readonly id: string };
};

/** Builds the request, or returns Apple's reason if Apple would refuse it on every device. */
export function apnsMessage(facts: Facts): ApnsMessage | { readonly rejected: string } {
  const { payload, publishedAt } = facts;
  const fault = faultyHeader(payload);
  if (fault) return { rejected: fault };
  const pushType = pushTypeOf(payload);
  const { maxBytes = defaultMaxBytes, ...own } = ownOf(pushType);
  const ignored = own.fault?.(payload);
  if (ignored) return { rejected: ignored };
  const complete = own.complete?.(payload, publishedAt) ?? payload;
  const headers = requestHeaders(pushType, facts);
  const body = Buffer.from(JSON.stringify(hasOwnTopic(pushType) ? customersOwn(complete) : withTracking(facts)));
  if (body.length > maxBytes) return { rejected: 'PayloadTooLarge' };
  return { body, headers, pushType, ttlMs: timeToLiveMs(headers['apns-expiration'], facts.publishedAt) };
}

/** Whether it starts activities that listen to a broadcast channel. */
export const listensToChannel = ({ aps }: JsonObject): boolean => objectOr(aps)['input-push-channel'] !== undefined;

/** The customer's choice, otherwise derived from the payload. */
function pushTypeOf(payload: JsonObject): ApnsPushType {
  if (isPushType(payload.push_type)) return payload.push_type;
  return isAlert(payload) ? 'alert' : 'background';
}

/** The keys sent to the device; the others are for this server. */
export const customersOwn = (payload: JsonObject) =>
  without(payload, ['collapse_id', 'expiration', 'priority', 'push_type', 'pusher']);

function withTracking({ payload, instance, publishId }: Facts): JsonObject {
  const sent = customersOwn(payload);
  const wake = wakesForTracking(payload);
  if (wake) sent.aps = { ...objectOr(payload.aps), 'content-available': 1 };
  // If the customer's `data` is not an object, there is no place for ours: it is sent unchanged, without tracking.
  if (payload.data !== undefined && !isObject(payload.data)) return sent;
  const pusher = { instanceId: instance.id, publishId, ...(wake && { userShouldIgnore: true }) };
  return { ...sent, data: { ...payload.data, pusher } };
}

/**
 * Whether the server adds content-available, so that the app wakes, reports delivery and ignores the push.
 */
function wakesForTracking(payload: JsonObject): boolean {
  const untracked = objectOr(payload.pusher).disable_delivery_tracking === true;
  const trackable = payload.data === undefined || isObject(payload.data);
  return trackable && !untracked && !customerWakes(payload);
}

function customerWakes(payload: JsonObject): boolean {
  const given = objectOr(payload.aps)['content-available'];
  return given === 1 || given === true;
}

function isAlert(payload: JsonObject): boolean {
  const aps = objectOr(payload.aps);
  return aps.alert !== undefined || aps.badge !== undefined || aps.sound !== undefined;
}

function requestHeaders(pushType: ApnsPushType, { payload, publishedAt }: Facts): Record<string, string> {
  const headers: Record<string, string> = {
    'apns-push-type': pushType,
    // Apple rejects a background push of priority 10.
    'apns-priority': pushType === 'background' ? '5' : String(Number(payload.priority ?? 10)),
  };
  const expiration = payload.expiration ?? defaultExpiration(pushType, publishedAt);
  if (expiration !== undefined) headers['apns-expiration'] = String(Number(expiration));
  if (typeof payload.collapse_id === 'string') headers['apns-collapse-id'] = payload.collapse_id;
  return headers;
}

function defaultExpiration(pushType: ApnsPushType, publishedAt: number): number | undefined {
  const { defaultSeconds: seconds } = ownOf(pushType);
  return seconds ? Math.ceil(publishedAt / 1000) + seconds : seconds;
}

export function faultyHeader(payload: JsonObject): string | undefined {
  const { priority, expiration, collapse_id: collapseId, push_type: pushType } = payload;
  if (pushType !== undefined && !isPushType(pushType)) return 'InvalidPushType';
  if (priority !== undefined && !priorities.includes(priority)) return 'BadPriority';
  if (expiration !== undefined && !isEpochSeconds(expiration)) return 'BadExpirationDate';
  if (collapseId !== undefined && !isCollapseId(collapseId)) return 'BadCollapseId';
  return undefined;
}

function isEpochSeconds(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether it is a string that is valid in a header. */
function isCollapseId(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && value.length <= maxCollapseIdBytes;
}

export function timeToLiveMs(expiration: string | undefined, publishedAt: number): number {
  if (expiration === undefined) return defaultTtlMs;
  return Math.max(0, Number(expiration) * 1000 - publishedAt);
}
