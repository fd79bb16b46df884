import { createECDH, createPublicKey, randomBytes, type ECDH } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import ece from 'http_ece';
import type { WebCredentials } from 'rookery/push-device';
import { verifiedJwt, type Jwt } from './jwt.js';
import { Script } from './script.js';
import { serve, type HttpAnswer, type Served, type Taken } from './serve.js';

/** One answer of the stand-in. */
export type WebPushAnswer = HttpAnswer;

/** A browser's subscription at the stand-in. */
export interface StandInSubscription {
  readonly endpoint: string;
  /** As the web SDK registers it: base64 of the PushSubscription's JSON. */
  readonly token: string;
}

export interface ReceivedWebPush {
  /** The token of the subscription. */
  readonly token: string;
  readonly endpoint: string;
  readonly headers: IncomingHttpHeaders;
  /** The size of the encrypted body in bytes. */
  readonly bytes: number;
  /** Decrypted (RFC 8291) and parsed. */
  readonly payload: any;
  readonly vapid: Jwt;
}

export interface StandInWebPushOptions {
  /** Decrypt and keep what was received; without it only `count` tells. @default true */
  readonly record?: boolean;
  /** Waits before each answer, as a network would. @default 0 */
  readonly delayMs?: number;
  /** Of the instance that may send here. @default a new one */
  readonly vapidPrivateKey?: string;
  /** The name by which browsers know it; the test makes it lead here. @default localhost */
  readonly host?: string;
}

interface Browser {
  readonly keys: ECDH;
  readonly auth: Buffer;
  readonly token: string;
  readonly endpoint: string;
}

/** A browser vendor's push service on localhost: VAPID is checked and messages are decrypted as a browser would. */
export class StandInWebPush extends Script<WebPushAnswer> {
  readonly received: ReceivedWebPush[] = [];
  /** Pushes answered 201. */
  count = 0;
  /** Each distinct Authorization header that came. */
  readonly authorizations = new Map<string, Jwt | undefined>();
  private readonly browsers = new Map<string, Browser>();
  private readonly vapidKeys = createECDH('prime256v1');
  private served?: Served;

  private constructor(private readonly options: StandInWebPushOptions) {
    super({ status: 201 });
    const { vapidPrivateKey } = options;
    if (vapidPrivateKey === undefined) this.vapidKeys.generateKeys();
    else this.vapidKeys.setPrivateKey(vapidPrivateKey, 'base64url');
  }

  static async start(options: StandInWebPushOptions = {}): Promise<StandInWebPush> {
    const standIn = new StandInWebPush(options);
    standIn.served = await serve((request) => standIn.take(request), { ...options, http2: false });
    return standIn;
  }

  get url(): string {
    return (this.served?.url ?? '').replace('localhost', this.options.host ?? 'localhost');
  }

  get openConnections(): number {
    return this.served?.sockets.size ?? 0;
  }

  async close(): Promise<void> {
    await this.served?.close();
  }

  /** What to give an instance whose browsers subscribe here. */
  get credentials(): WebCredentials {
    return {
      vapidPublicKey: this.vapidKeys.getPublicKey('base64url'),
      vapidPrivateKey: this.vapidKeys.getPrivateKey('base64url'),
      subject: 'mailto:tests@rookery.example',
    };
  }

  /** A new browser subscribes. `answer(subscription.token, …)` scripts what its pushes are answered. */
  subscribe(name: string = randomBytes(8).toString('hex')): StandInSubscription {
    const keys = createECDH('prime256v1');
    const p256dh = keys.generateKeys('base64url');
    const auth = randomBytes(16);
    const endpoint = `${this.url}/push/${name}`;
    const subscription = { endpoint, expirationTime: null, keys: { p256dh, auth: auth.toString('base64url') } };
    const token = Buffer.from(JSON.stringify(subscription)).toString('base64');
    this.browsers.set(`/push/${name}`, { keys, auth, token, endpoint });
    return { endpoint, token };
  }

  private take(request: Taken): void {
    const { path, headers, body } = request;
    const browser = this.browsers.get(path);
    const vapid = this.vapidOf(headers.authorization ?? '');
    if (!browser) return request.answer({ status: 404 });
    if (!headers.ttl) return request.answer({ status: 400, body: 'TTL is missing' });
    if (vapid?.claims.aud !== this.url) return request.answer({ status: 403, body: 'VAPID is wrong' });
    const answer = this.next(browser.token);
    if ((this.options.record ?? true) && 'status' in answer)
      this.received.push(received(browser, headers, body, vapid));
    this.respond(request, answer);
  }

  private respond(request: Taken, answer: WebPushAnswer): void {
    if ('status' in answer && answer.status < 300) this.count++;
    request.answer(answer);
  }

  /** Checked once per header, as the real services can afford more. */
  private vapidOf(authorization: string): Jwt | undefined {
    if (!this.authorizations.has(authorization)) this.authorizations.set(authorization, this.verified(authorization));
    return this.authorizations.get(authorization);
  }

  private verified(authorization: string): Jwt | undefined {
    const [, jwt = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
    if (key !== this.credentials.vapidPublicKey) return undefined;
    const point = this.vapidKeys.getPublicKey();
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    };
    return verifiedJwt(jwt, 'ES256', createPublicKey({ key: jwk, format: 'jwk' }));
  }
}

function received(browser: Browser, headers: IncomingHttpHeaders, body: Buffer, vapid: Jwt): ReceivedWebPush {
  const plain = ece.decrypt(body, {
    version: 'aes128gcm',
    privateKey: browser.keys,
    authSecret: browser.auth.toString('base64url'),
  });
  const payload: unknown = JSON.parse(plain.toString());
  return { token: browser.token, endpoint: browser.endpoint, headers, bytes: body.length, payload, vapid };
}

/** Starts a browser vendor's stand-in; close it when done. */
export const standInWebPush = (options?: StandInWebPushOptions): Promise<StandInWebPush> =>
  StandInWebPush.start(options);
