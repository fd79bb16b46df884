import { base64, now, utf8 } from './bytes.mjs';
import { userPath } from './checked.mjs';
import { hmac } from './hmac.mjs';
import { type CallOptions, request, type ServerOptions } from './requests.mjs';

export interface BeamsOptions extends ServerOptions {
  readonly instanceId: string;
  readonly secretKey: string;
}

/** The payloads for the three platforms, with the API's field names; at least one. */
export interface PublishRequest {
  readonly apns?: object;
  readonly fcm?: object;
  readonly web?: object;
  /** The URL that is called with the publish's progress. */
  readonly webhookUrl?: string;
}

/** A publish to interests, which may ask for more of their devices. */
export interface InterestsPublishRequest extends PublishRequest {
  /** Only devices that are also subscribed to all of these; at most 100 interests with all others. */
  readonly allOf?: readonly string[];
  /** Only devices that are subscribed to none of these. */
  readonly noneOf?: readonly string[];
}

export interface Published {
  readonly publishId: string;
}

/** Publishes to devices, and issues users' tokens. */
export interface BeamsClient {
  /** Publishes to the devices with any of 1 to 100 interests. */
  publishToInterests(
    interests: readonly string[],
    publish: InterestsPublishRequest,
    options?: CallOptions,
  ): Promise<Published>;
  /** Publishes to the devices of 1 to 1000 users. */
  publishToUsers(users: readonly string[], publish: PublishRequest, options?: CallOptions): Promise<Published>;
  /** Deletes a user with all devices. */
  deleteUser(userId: string, options?: CallOptions): Promise<void>;
  /** Issues a token for a client's TokenProvider, valid for 24 hours. */
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

  const publishTo =
    (target: 'interests' | 'users') => (names: readonly string[], publish: PublishRequest, options?: CallOptions) =>
      call<Published>('POST', 'publish', `publishes/${target}`, options, { ...publish, [target]: names });

  return {
    publishToInterests: publishTo('interests'),
    publishToUsers: publishTo('users'),
    deleteUser: async (userId, options) => call('DELETE', 'customer', userPath(userId), options),
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

/** Base64 as in JWTs (RFC 4648 §5). */
const base64Url = (bytes: ArrayBuffer): string =>
  base64(bytes).replace(/[+/=]/g, (character) => ({ '+': '-', '/': '_' })[character] ?? '');
