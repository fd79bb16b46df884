import type { Platform } from 'rookery/push-device';
import type { Notification, PreparedNotification } from '../delivery/push.gateway.js';
import type { Publish } from '../publish.js';
import type { ClaimedPublish } from './claimed-publish.js';
import type { Recipients } from './recipients.js';

/** The notification that is sent on a platform, and its recipients. */
export interface PartitionDelivery {
  readonly recipients: Recipients;
  /** What the gateway checks before the publish is accepted, and prepares. */
  readonly notification: Notification;
  /** What sends it, if that is not what the gateway has prepared. */
  sender?(prepared: PreparedNotification): PreparedNotification;
}

/** How a feature delivers publishes of its own, in place of sending them to devices. */
export interface DeliveryStep {
  /** @throws ApiError if the publish cannot be delivered */
  check(publish: Publish): void;
  /** `undefined`: the notification goes to devices. */
  deliveryOf(
    claimed: Pick<ClaimedPublish, 'publish' | 'instance'>,
    notification: Notification,
    platform: Platform,
  ): PartitionDelivery | undefined;
}
