import { base64, now, utf8 } from './bytes.mjs';
import { hmac } from './hmac.mjs';
import { type CallOptions, request, type ServerOptions } from './requests.mjs';

export interface BeamsOptions extends ServerOptions {
  readonly instanceId: string;
  readonly secretKey: string;
}

/** What devices of the three platforms get, in the words of the API; one of them at least. */
export interface PublishRequest {
  readonly apns?: object;
  readonly fcm?: object;
  readonly web?: object;
  /** Told how the publish proceeds. */
  readonly webhookUrl?: string;
}

export interface Published {
  readonly publishId: string;
}

/** Publishes to devices, and issues users' tokens. */
export interface BeamsClient {
  /** To the devices that have one of 1 to 100 interests. */
  publishToInterests(interests: readonly string[], publish: PublishRequest, options?: CallOptions): Promise<Published>;
  /** To the devices of 1 to 1000 users. */
  publishToUsers(users: readonly string[], publish: PublishRequest, options?: CallOptions): Promise<Published>;
  /** With all devices of the user. */
  deleteUser(userId: string, options?: CallOptions): Promise<void>;
  /** For a client's TokenProvider: good for 24 hours. */
  deviceToken(userId: string): Promise<{ readonly token: string }>;
}

export function beamsClient(server: BeamsOptions): BeamsClient {
  const { instanceId, secretKey } = server;
  const sign = hmac(secretKey);

  const call = <Answer,>(method: string, api: string, path: string, options?: CallOptions, body?: object) =>
    request<Answer>(
      server,
      method,
      `/${api}_api/v1/instances/${instanceId}/${path}`,
      body && JSON.stringify(body),
      options,
      { authorization: `Bearer ${secretKey}` },
    );

  return {
    publishToInterests: (interests, publish, options) =>
      call('POST', 'publish', 'publishes/interests', options, { ...publish, interests }),
    publishToUsers: (users, publish, options) =>
      call('POST', 'publish', 'publishes/users', options, { ...publish, users }),
    deleteUser: (userId, options) => call('DELETE', 'customer', `users/${encodeURIComponent(userId)}`, options),
    async deviceToken(userId) {
      const iat = now();
      const iss = `https://${instanceId}.pushnotifications.pusher.com`;
      const parts = [
        { alg: 'HS256', typ: 'JWT' },
        { sub: userId, iss, iat, exp: iat + 86_400 },
      ];
      const text = parts.map((part) => base64Url(utf8(JSON.stringify(part)).buffer)).join('.');
      return { token: `${text}.${base64Url(await sign(text))}` };
    },
  };
}

/** Base64 as JWTs have it (RFC 4648 §5). */
const base64Url = (bytes: ArrayBuffer): string =>
  base64(bytes).replace(/[+/=]/g, (character) => ({ '+': '-', '/': '_' })[character] ?? '');
