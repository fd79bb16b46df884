import { isObject, objectOr, without, type JsonObject } from '../json.js';
import type { Notification } from '../push.gateway.js';

/** Everything of an APNs request that does not depend on the device (beams-wire §5.2, §11.1). */
export interface ApnsMessage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly ttlMs: number;
}

/** Apple's limit for everything but VoIP. */
const maxBytes = 4096;
/** Beams' clients write numbers; some customers write text. */
const priorities: readonly unknown[] = [1, 5, 10, '1', '5', '10'];
const maxCollapseIdBytes = 64;
/** Apple keeps a notification without expiration for up to 30 days. */
const defaultTtlMs = 30 * 24 * 3600 * 1000;

type Facts = Pick<Notification, 'payload' | 'publishId' | 'publishedAt'> & {
  readonly instance: { readonly id: string };
};

/** Builds the request, or answers the reason, in Apple's words, for which Apple would refuse it on every device. */
export function apnsMessage(facts: Facts): ApnsMessage | { readonly rejected: string } {
  const fault = faultyHeader(facts.payload);
  if (fault) return { rejected: fault };
  const body = Buffer.from(JSON.stringify(withTracking(facts)));
  if (body.length > maxBytes) return { rejected: 'PayloadTooLarge' };
  return { body, headers: requestHeaders(facts.payload), ttlMs: timeToLiveMs(facts) };
}

/** `collapse_id`, `expiration`, `priority` and the root `pusher` are for this server; the rest goes to the device. */
function withTracking({ payload, instance, publishId }: Facts): JsonObject {
  const sent = without(payload, ['collapse_id', 'expiration', 'priority', 'pusher']);
  const wake = wakesForTracking(payload);
  if (wake) sent.aps = { ...objectOr(payload.aps), 'content-available': 1 };
  // A customer's `data` that is no object leaves no place for ours: it goes as it is, untracked.
  if (payload.data !== undefined && !isObject(payload.data)) return sent;
  const pusher = { instanceId: instance.id, publishId, ...(wake && { userShouldIgnore: true }) };
  return { ...sent, data: { ...payload.data, pusher } };
}

/** Whether the server adds content-available, so that the app is woken to report delivery and is told to ignore it. */
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

function requestHeaders(payload: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {
    'apns-push-type': isAlert(payload) ? 'alert' : 'background',
    // A background push of priority 10 is an error.
    'apns-priority': isAlert(payload) ? String(Number(payload.priority ?? 10)) : '5',
  };
  if (payload.expiration !== undefined) headers['apns-expiration'] = String(Number(payload.expiration));
  if (typeof payload.collapse_id === 'string') headers['apns-collapse-id'] = payload.collapse_id;
  return headers;
}

function faultyHeader({ priority, expiration, collapse_id: collapseId }: JsonObject): string | undefined {
  if (priority !== undefined && !priorities.includes(priority)) return 'BadPriority';
  if (expiration !== undefined && !isEpochSeconds(expiration)) return 'BadExpirationDate';
  if (collapseId !== undefined && !isCollapseId(collapseId)) return 'BadCollapseId';
  return undefined;
}

function isEpochSeconds(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Text that can stand in a header. */
function isCollapseId(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && value.length <= maxCollapseIdBytes;
}

function timeToLiveMs({ payload, publishedAt }: Facts): number {
  if (payload.expiration === undefined) return defaultTtlMs;
  return Math.max(0, Number(payload.expiration) * 1000 - publishedAt);
}
