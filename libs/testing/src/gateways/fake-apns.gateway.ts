import {
  apnsMessageOf,
  apnsOutcome,
  type Notification,
  type Outcome,
  type PreparedNotification,
} from 'rookery/internal/publish';
import { type AnswerDetails, FakeGateway, type Message } from './fake.gateway.js';
import { FakeBroadcastChannels } from './fake-broadcast-channels.js';

/** The statuses that Apple documents, by reason (beams-wire §11.1). */
const statuses = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  FeatureNotEnabled: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadEnvironmentKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const;

/** One of Apple's reasons. */
export type ApnsReason = keyof typeof statuses;

/** Apple's push service, in this process. A broadcast is one push, whose token is the id of the channel. */
export class FakeApnsGateway extends FakeGateway<ApnsReason> {
  override readonly platform = 'apns';
  override readonly channels = new FakeBroadcastChannels();

  override async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const prepared = await super.prepare(notification);
    if (!notification.isBroadcast || 'rejected' in prepared) return prepared;
    return {
      ttlMs: prepared.ttlMs,
      send: async (address) =>
        this.channels.has(notification.instance, address.bundleIdentifier ?? '', address.token)
          ? prepared.send(address)
          : { outcome: 'unregistered' },
    };
  }

  override reset(): void {
    super.reset();
    this.channels.reset();
  }

  protected messageOf(notification: Notification): Message {
    return apnsMessageOf(notification);
  }

  protected outcomeOf(reason: ApnsReason | 'delivered', { retryAfterSeconds, timestamp }: AnswerDetails): Outcome {
    const status = reason === 'delivered' ? 200 : statuses[reason];
    const answer = { status, body: JSON.stringify({ reason, timestamp }), retryAfter: retryAfterSeconds?.toString() };
    return apnsOutcome(answer, Date.now(), 'of the test');
  }
}
