import type { PushAnswer } from '../http2/exchange.js';
import { isObject, objectOr, parseJson, type JsonObject } from '../json.js';
import { PlatformFault, SendLater, type Outcome } from '../push.gateway.js';
import { asksForLater, retryAfterMs } from '../retry-after.js';

const delivered: Outcome = { outcome: 'delivered' };
/** Google's recommended wait for a 429 without Retry-After. */
const quotaWaitMs = 60_000;

/** Interprets an FCM answer for the device (beams-wire §11.2). Throws SendLater and PlatformFault. */
export function fcmOutcome(answer: PushAnswer, now: number): Outcome {
  if (answer.status === 200) return delivered;
  const error = objectOr(objectOr(parseJson(answer.body)).error);
  const reason = reasonOf(error, answer.status);
  if (isGone(answer.status, error)) return { outcome: 'unregistered' };
  const waitMs = retryAfterMs(answer.retryAfter, now);
  if (answer.status === 429) throw new SendLater(reason, waitMs ?? quotaWaitMs);
  if (asksForLater(answer.status, waitMs)) throw new SendLater(reason, waitMs);
  if (isPlatformFault(answer.status, reason)) throw new PlatformFault(`FCM refuses the service account: ${reason}`);
  return { outcome: 'rejected', reason };
}

/** The most specific code available: FcmError's, then the status code, then HTTP's. */
function reasonOf(error: JsonObject, status: number): string {
  const code = fcmErrorCode(error) ?? error.status;
  return typeof code === 'string' ? code : `HTTP ${status}`;
}

function isGone(status: number, error: JsonObject): boolean {
  if (status === 404) return error.status === 'NOT_FOUND' || fcmErrorCode(error) === 'UNREGISTERED';
  return status === 400 && namesToken(error);
}

/** A 400 may also concern the payload: the device is gone only if the error names the token. */
function namesToken(error: JsonObject): boolean {
  if (violatedFields(error).includes('message.token')) return true;
  return fcmErrorCode(error) === 'INVALID_ARGUMENT' && /registration token/i.test(text(error.message));
}

/**
 * Reasons that say nothing about other tokens: one of another project, or of iOS or the web in a project without
 * credentials for those.
 */
const ofTheToken = new Set(['SENDER_ID_MISMATCH', 'THIRD_PARTY_AUTH_ERROR']);

/** A 404 without Google's body means a wrong endpoint. */
function isPlatformFault(status: number, reason: string): boolean {
  return status === 404 || ((status === 401 || status === 403) && !ofTheToken.has(reason));
}

/** Whether Google refuses the access token, rather than a device. */
export function isUnauthorized({ status, body }: PushAnswer): boolean {
  if (status !== 401) return false;
  return isPlatformFault(status, reasonOf(objectOr(objectOr(parseJson(body)).error), status));
}

function fcmErrorCode(error: JsonObject): unknown {
  return details(error, 'google.firebase.fcm.v1.FcmError')?.errorCode;
}

function violatedFields(error: JsonObject): unknown[] {
  const violations = details(error, 'google.rpc.BadRequest')?.fieldViolations;
  return Array.isArray(violations) ? violations.map((violation) => objectOr(violation).field) : [];
}

function details(error: JsonObject, type: string): JsonObject | undefined {
  const all: readonly unknown[] = Array.isArray(error.details) ? error.details : [];
  return all.filter(isObject).find((detail) => text(detail['@type']).endsWith(type));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
