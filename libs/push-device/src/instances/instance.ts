import { IsArray, IsBoolean, IsIn, IsObject } from 'class-validator';
import { IsCount, IsText, IsWebAddress, Nested, Open, Optional } from 'rookery/common';
import { IsInstanceId } from './instance-id.js';
import { IsVapidSubject } from './vapid-subject.js';

/** Apple's provider credentials: token authentication with a .p8 key (beams-wire §11.1). */
export class ApnsCredentials {
  /** The .p8 key as PEM text. */
  @IsText()
  readonly key!: string;
  @IsText()
  readonly keyId!: string;
  @IsText()
  readonly teamId!: string;
  /** @default the production gateway, `https://api.push.apple.com` */
  @Optional()
  @IsText()
  readonly endpoint?: string;
}

/** What Rookery reads of a Google service account file (beams-wire §11.2), which has more fields than these. */
@Open()
export class FcmServiceAccount {
  @IsText()
  readonly project_id!: string;
  @IsText()
  readonly client_email!: string;
  @IsText()
  readonly private_key!: string;
  @Optional()
  @IsText()
  readonly private_key_id?: string;
  /** @default `https://oauth2.googleapis.com/token` */
  @Optional()
  @IsText()
  readonly token_uri?: string;
}

export class FcmCredentials {
  @Nested(() => FcmServiceAccount)
  readonly serviceAccount!: FcmServiceAccount;
  /** @default `https://fcm.googleapis.com` */
  @Optional()
  @IsText()
  readonly endpoint?: string;
}

/** The VAPID key pair of an instance, base64url: 65-byte uncompressed public point, 32-byte private scalar. */
export class WebCredentials {
  @IsText()
  readonly vapidPublicKey!: string;
  @IsText()
  readonly vapidPrivateKey!: string;
  /** `mailto:` or `https:` contact of the sender; Apple refuses one at localhost. */
  @IsText()
  @IsVapidSubject()
  readonly subject!: string;
}

/** The events of configured webhooks (beams-wire §7.1). */
const webhookEvents = ['v1.PublishToUsersAttempt', 'v1.UserNotificationAcknowledgement', 'v1.UserNotificationOpen'];

/** A configured webhook of an instance (beams-wire §7.1). */
export class InstanceWebhook {
  @IsWebAddress()
  readonly url!: string;
  @IsText()
  readonly secret!: string;
  @IsArray()
  @IsIn(webhookEvents, { each: true })
  readonly events!: readonly string[];
  /** Sent along with each event as `custom_data`. */
  @Optional()
  @IsObject()
  readonly customData?: Readonly<Record<string, unknown>>;
}

/** A Beams instance: the unit that owns devices, users and publishes. Nothing ever crosses from one to another. */
export class Instance {
  /** A UUID. */
  @IsInstanceId()
  readonly id!: string;
  @IsText()
  readonly secretKey!: string;
  /**
   * Further secret keys that are good beside `secretKey`, which signs. To replace a key without a cut, the old one stands
   * here until nobody uses it any more. @default none
   */
  @Optional()
  @IsArray()
  @IsText({ each: true })
  readonly furtherSecretKeys?: readonly string[];
  /** Requests of a disabled instance are answered 403; what it was to publish before is sent. @default true */
  @Optional()
  @IsBoolean()
  readonly enabled?: boolean;
  @Optional()
  @Nested(() => ApnsCredentials)
  readonly apns?: ApnsCredentials;
  @Optional()
  @Nested(() => FcmCredentials)
  readonly fcm?: FcmCredentials;
  @Optional()
  @Nested(() => WebCredentials)
  readonly web?: WebCredentials;
  @Optional()
  @Nested(() => InstanceWebhook, { each: true })
  readonly webhooks?: readonly InstanceWebhook[];
  /** Publishes and deletions of users that it may ask for in a second, and at once. @default 100 */
  @Optional()
  @IsCount(1)
  readonly publishesPerSecond?: number;
}
