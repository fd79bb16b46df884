import { IsArray, IsBoolean, IsIn, IsObject } from 'class-validator';
import { IsCount, IsText, IsWebAddress, Nested, Open, Optional } from 'rookery/common';
import { IsInstanceId } from './instance-id.js';
import { IsVapidSubject } from './vapid-subject.js';

/** Apple's provider credentials: token authentication with a .p8 key (beams-wire §11.1). */
export class ApnsCredentials {
  /** The .p8 key as PEM text. */
  @IsText()
  readonly key!: string;
  /** The ten characters by which Apple knows the key. */
  @IsText()
  readonly keyId!: string;
  /** The ten characters of the developer account. */
  @IsText()
  readonly teamId!: string;
  /** Where notifications are sent; the sandbox for development builds. @default the production gateway, `https://api.push.apple.com` */
  @Optional()
  @IsText()
  readonly endpoint?: string;
}

/** What Rookery reads of a Google service account file (beams-wire §11.2), which has more fields than these. */
@Open()
export class FcmServiceAccount {
  /** The Firebase project. */
  @IsText()
  readonly project_id!: string;
  /** The name of the account. */
  @IsText()
  readonly client_email!: string;
  /** Its key as PEM text. */
  @IsText()
  readonly private_key!: string;
  /** The id of that key. */
  @Optional()
  @IsText()
  readonly private_key_id?: string;
  /** Where access tokens are asked for. @default `https://oauth2.googleapis.com/token` */
  @Optional()
  @IsText()
  readonly token_uri?: string;
}

export class FcmCredentials {
  @Nested(() => FcmServiceAccount)
  readonly serviceAccount!: FcmServiceAccount;
  /** Where notifications are sent. @default `https://fcm.googleapis.com` */
  @Optional()
  @IsText()
  readonly endpoint?: string;
}

/** The VAPID key pair of an instance, base64url: 65-byte uncompressed public point, 32-byte private scalar. */
export class WebCredentials {
  /** Browsers bind their subscriptions to it. */
  @IsText()
  readonly vapidPublicKey!: string;
  /** Signs what is sent to their push services. */
  @IsText()
  readonly vapidPrivateKey!: string;
  /** `mailto:` or `https:` contact of the sender; Apple refuses one at localhost. */
  @IsText()
  @IsVapidSubject()
  readonly subject!: string;
}

/** The events of configured webhooks (beams-wire §7.1). */
/** What a webhook can ask for (beams-wire §7.1). */
export const webhookEvents = [
  'v1.PublishToUsersAttempt',
  'v1.UserNotificationAcknowledgement',
  'v1.UserNotificationOpen',
];

/** A configured webhook of an instance (beams-wire §7.1). */
export class InstanceWebhook {
  /** With http or https. */
  @IsWebAddress()
  readonly url!: string;
  /** Signs what is sent: `Webhook-Signature`. */
  @IsText()
  readonly secret!: string;
  /** The events that it wants. */
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
  /** Servers publish with it, and sign the tokens of users. */
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
  /** Told of publishes to users, and of what their devices report. */
  @Optional()
  @Nested(() => InstanceWebhook, { each: true })
  readonly webhooks?: readonly InstanceWebhook[];
  /** Publishes and deletions of users that it may ask for in a second, and at once. @default 100 */
  @Optional()
  @IsCount(1)
  readonly publishesPerSecond?: number;
}
