/** Apple's provider credentials: token authentication with a .p8 key (beams-wire §11.1). */
export interface ApnsCredentials {
  /** The .p8 key as PEM text. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  /** @default the production gateway, `https://api.push.apple.com` */
  readonly endpoint?: string;
}

/** What Rookery reads of a Google service account file (beams-wire §11.2). */
export interface FcmServiceAccount {
  readonly project_id: string;
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id?: string;
  /** @default `https://oauth2.googleapis.com/token` */
  readonly token_uri?: string;
}

export interface FcmCredentials {
  readonly serviceAccount: FcmServiceAccount;
  /** @default `https://fcm.googleapis.com` */
  readonly endpoint?: string;
}

/** The VAPID key pair of an instance, base64url: 65-byte uncompressed public point, 32-byte private scalar. */
export interface WebCredentials {
  readonly vapidPublicKey: string;
  readonly vapidPrivateKey: string;
  /** `mailto:` or `https:` contact of the sender. */
  readonly subject: string;
}

/** A configured webhook of an instance (beams-wire §7.1). */
export interface InstanceWebhook {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
  readonly customData?: Readonly<Record<string, unknown>>;
}

/** A Beams instance: the unit that owns devices, users and publishes. Nothing ever crosses from one to another. */
export interface Instance {
  /** A UUID. */
  readonly id: string;
  readonly secretKey: string;
  readonly apns?: ApnsCredentials;
  readonly fcm?: FcmCredentials;
  readonly web?: WebCredentials;
  readonly webhooks?: readonly InstanceWebhook[];
}
