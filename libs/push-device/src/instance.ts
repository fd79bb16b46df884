import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsObject } from 'class-validator';
import { IsCount, IsExactText, IsText, IsTexts, IsWebAddress, Nested, NestedOpen, Open, Optional } from '#common';
import { IsInstanceId } from './instance-id.js';
import { IsApnsKey, IsFcmKey } from './private-key.js';
import { IsOfVapidPair } from './vapid-keys.js';
import { IsVapidSubject } from './vapid-subject.js';

/** Apple's provider credentials: token authentication with a .p8 key (beams-wire §11.1). */
export class ApnsCredentials {
  /** The text of the .p8 file, a key as PEM, with line breaks or `\n`. */
  @IsText()
  @IsApnsKey()
  readonly key!: string;
  /** The key's ten characters, part of the file's name. */
  @IsExactText()
  readonly keyId!: string;
  /** The developer account's ten characters. */
  @IsExactText()
  readonly teamId!: string;
  /** The URL of Apple's gateway. @default production, `https://api.push.apple.com` */
  @Optional()
  @IsText()
  readonly endpoint?: string;
  /**
   * A second gateway, for devices whose token `endpoint` does not know: `https://api.sandbox.push.apple.com` serves
   * development builds beside production. @default none
   */
  @Optional()
  @IsWebAddress()
  readonly sandboxEndpoint?: string;
}

/** The fields of a Google service account file that Rookery reads (beams-wire §11.2); others are ignored. */
@Open()
export class FcmServiceAccount {
  /** The id of the Firebase project. */
  @IsExactText()
  readonly project_id!: string;
  /** The name of the service account. */
  @IsExactText()
  readonly client_email!: string;
  /** The account's private key as PEM, with line breaks or `\n`. */
  @IsText()
  @IsFcmKey()
  readonly private_key!: string;
  /** The id of the private key. */
  @Optional()
  @IsText()
  readonly private_key_id?: string;
  /** The URL that issues access tokens. @default `https://oauth2.googleapis.com/token` */
  @Optional()
  @IsText()
  readonly token_uri?: string;
}

/** Google's credentials: a service account, with which Rookery calls FCM v1 (beams-wire §11.2). */
export class FcmCredentials {
  /** The object in the JSON file of the account. */
  @NestedOpen(() => FcmServiceAccount)
  readonly serviceAccount!: FcmServiceAccount;
  /** The URL of Google's gateway. @default `https://fcm.googleapis.com` */
  @Optional()
  @IsText()
  readonly endpoint?: string;
}

/** Of a key that is replaced yearly, more than browsers keep subscriptions. */
const maxEarlierPairs = 10;

/** A VAPID key pair with which no browser subscribes any more. */
export class EarlierVapidPair {
  /** The public key with which browsers subscribed, in base64url. */
  @IsExactText()
  readonly vapidPublicKey!: string;
  /** The private key, which signs requests for those browsers, in base64url. */
  @IsExactText()
  @IsOfVapidPair()
  readonly vapidPrivateKey!: string;
}

/** The VAPID key pair of an instance, base64url: 65-byte uncompressed public point, 32-byte private scalar. */
export class WebCredentials {
  /** The public key, to which browsers bind their subscriptions, in base64url. */
  @IsExactText()
  readonly vapidPublicKey!: string;
  /** The private key, which signs requests to browsers' push services, in base64url. */
  @IsExactText()
  readonly vapidPrivateKey!: string;
  /** Your contact for push services: a `mailto:` or `https:` address, not at localhost. */
  @IsText()
  @IsVapidSubject()
  readonly subject!: string;
  /** Earlier pairs, the latest first: browsers that subscribed with one still get their pushes. @default none */
  @Optional()
  @IsArray()
  @ArrayMaxSize(maxEarlierPairs)
  @Nested(() => EarlierVapidPair, { each: true })
  readonly previous?: readonly EarlierVapidPair[];
}

/** The events that a webhook can subscribe to (beams-wire §7.1). */
export const webhookEvents = [
  'v1.PublishToUsersAttempt',
  'v1.UserNotificationAcknowledgement',
  'v1.UserNotificationOpen',
];

/** A configured webhook of an instance (beams-wire §7.1). */
export class InstanceWebhook {
  /** An http or https URL. */
  @IsWebAddress()
  readonly url!: string;
  /** Signs the requests, in the header `Webhook-Signature`. */
  @IsExactText()
  readonly secret!: string;
  /** The events to send. Absent or empty: all. */
  @Optional()
  @IsArray()
  @IsIn(webhookEvents, { each: true })
  readonly events?: readonly string[];
  /** A JSON object that is sent with each event, as `custom_data`. */
  @Optional()
  @IsObject()
  readonly customData?: Readonly<Record<string, unknown>>;
}

/** A Beams instance: the unit that owns devices, users and publishes. Instances are fully isolated. */
export class Instance {
  /** The id in the paths of the HTTP API: a UUID. */
  @IsInstanceId()
  readonly id!: string;
  /** Secret: your servers publish with it, and sign users' tokens with it. */
  @IsExactText()
  readonly secretKey!: string;
  /** Shown in the console. @default its id */
  @Optional()
  @IsText()
  readonly name?: string;
  /** Older secret keys that stay valid; nothing is signed with them. @default none */
  @Optional()
  @IsArray()
  @IsExactText({ each: true })
  readonly furtherSecretKeys?: readonly string[];
  /**
   * When each of `furtherSecretKeys` ceases to be valid, in RFC 3339, by the names that `rookery instances list` prints.
   * @default never
   */
  @Optional()
  @IsTexts()
  readonly secretKeysValidUntil?: Readonly<Record<string, string>>;
  /** Serves the instance. If false, requests are answered 403; accepted publishes are still sent. @default true */
  @Optional()
  @IsBoolean()
  readonly enabled?: boolean;
  /** A key of the Apple Developer account. @default none: nothing is sent to Apple */
  @Optional()
  @Nested(() => ApnsCredentials)
  readonly apns?: ApnsCredentials;
  /** A service account of the Firebase project. @default none: nothing is sent to Google */
  @Optional()
  @Nested(() => FcmCredentials)
  readonly fcm?: FcmCredentials;
  /** A VAPID key pair: `rookery keys vapid` makes one. @default none: browsers cannot register */
  @Optional()
  @Nested(() => WebCredentials)
  readonly web?: WebCredentials;
  /** Endpoints to which events are reported: publishes to users, and what devices report of them. */
  @Optional()
  @Nested(() => InstanceWebhook, { each: true })
  readonly webhooks?: readonly InstanceWebhook[];
  /** Publishes and user deletions per second, also the largest burst. @default 100 */
  @Optional()
  @IsCount(1)
  readonly publishesPerSecond?: number;
}
