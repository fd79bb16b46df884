import assert from 'node:assert/strict';
import { apnsOutcome } from '../../../libs/publish/src/delivery/apns/apns-outcome.js';
import { fcmOutcome } from '../../../libs/publish/src/delivery/fcm/fcm-outcome.js';
import { type Outcome, PlatformFault, SendLater } from '../../../libs/publish/src/delivery/push.gateway.js';
import { webPushOutcome } from '../../../libs/publish/src/delivery/web/web-push-outcome.js';
import type { Target } from '../target.js';

const now = 1_800_000_000_000;
/** They ask for a later try, as an answer with Retry-After does. */
const unready = new Set([408, 409, 423, 425, 429, 499]);
const longestMs = 24 * 3600 * 1000;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

const readers: readonly ((answer: Answer) => Outcome)[] = [
  (answer) => apnsOutcome(answer, now, 'key'),
  (answer) => apnsOutcome(answer, now, 'key', true),
  (answer) => fcmOutcome(answer, now),
  ({ status, retryAfter, body }) => webPushOutcome({ status, headers: { 'retry-after': retryAfter }, body }, now),
];

/** Answers of push gateways, by a line each for status and Retry-After: an outcome, a later try or a fault of the platform. */
export const gateways = (): Target => ({
  name: 'gateways',
  seeds: [
    '200\n\n{}',
    '410\n\n{"reason":"Unregistered","timestamp":1700000000000}',
    '400\n\n{"reason":"BadDeviceToken"}',
    '403\n\n{"reason":"InvalidProviderToken"}',
    '429\n120\n{"reason":"TooManyRequests"}',
    '503\nWed, 21 Oct 2026 07:28:00 GMT\n<html>',
    '404\n\n{"error":{"status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}',
    '400\n\n{"error":{"status":"INVALID_ARGUMENT","message":"The registration token is not valid","details":[{"@type":"x/google.rpc.BadRequest","fieldViolations":[{"field":"message.token"}]}]}}',
    '401\n\n{"error":{"status":"UNAUTHENTICATED"}}',
  ],
  run(input) {
    const [first = '', retryAfter = '', ...rest] = input.toString().split('\n');
    const status = 100 + (Math.abs(Number.parseInt(first, 10) - 100 || 0) % 500);
    for (const read of readers)
      check(read, { status, retryAfter: retryAfter === '' ? undefined : retryAfter, body: rest.join('\n') });
  },
});

function check(read: (answer: Answer) => Outcome, answer: Answer): void {
  const isSuccess = answer.status >= 200 && answer.status < 300;
  let outcome: Outcome;
  try {
    outcome = read(answer);
  } catch (error) {
    assert.ok(!isSuccess || answer.status !== 200);
    if (error instanceof PlatformFault) return assert.ok(answer.status < 500);
    if (!(error instanceof SendLater)) throw error;
    assert.ok(unready.has(answer.status) || answer.status >= 500 || answer.retryAfter !== undefined);
    const { retryAfterMs } = error;
    return assert.ok(
      retryAfterMs === undefined || (retryAfterMs >= 0 && retryAfterMs <= longestMs),
      String(retryAfterMs),
    );
  }
  if (outcome.outcome === 'delivered') assert.ok(isSuccess);
  if (outcome.outcome === 'rejected') assert.equal(typeof outcome.reason, 'string');
  // A device is only deleted for an answer that says so.
  if (outcome.outcome !== 'unregistered') return;
  assert.ok([400, 404, 410].includes(answer.status));
  assert.ok(outcome.before === undefined || Number.isFinite(outcome.before));
}
