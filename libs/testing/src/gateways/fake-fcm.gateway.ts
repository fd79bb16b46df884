import { fcmMessage, fcmOutcome, type Notification, type Outcome } from 'rookery/internal/publish';
import { type AnswerDetails, FakeGateway, type Message } from './fake.gateway.js';

/** The statuses that Google documents, by error code (beams-wire §11.2). */
const errors = {
  UNSPECIFIED_ERROR: [500, 'UNKNOWN'],
  INVALID_ARGUMENT: [400, 'INVALID_ARGUMENT'],
  UNREGISTERED: [404, 'NOT_FOUND'],
  SENDER_ID_MISMATCH: [403, 'PERMISSION_DENIED'],
  QUOTA_EXCEEDED: [429, 'RESOURCE_EXHAUSTED'],
  UNAVAILABLE: [503, 'UNAVAILABLE'],
  INTERNAL: [500, 'INTERNAL'],
  THIRD_PARTY_AUTH_ERROR: [401, 'UNAUTHENTICATED'],
} as const;

/** One of Google's error codes. */
export type FcmErrorCode = keyof typeof errors;

/** Firebase Cloud Messaging, in this process. */
export class FakeFcmGateway extends FakeGateway<FcmErrorCode> {
  override readonly platform = 'fcm';

  protected messageOf(notification: Notification): Message {
    return fcmMessage(notification, 0);
  }

  protected outcomeOf(code: FcmErrorCode | 'delivered', details: AnswerDetails): Outcome {
    if (code === 'delivered') return fcmOutcome({ status: 200, body: '' }, Date.now());
    const [status, name] = errors[code];
    const body = JSON.stringify({ error: { status: name, details: detailsOf(code, details.violates) } });
    return fcmOutcome({ status, body, retryAfter: details.retryAfterSeconds?.toString() }, Date.now());
  }
}

const detailsOf = (errorCode: FcmErrorCode, field?: string) => [
  { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode },
  ...(field === undefined
    ? []
    : [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field }] }]),
];
