import { createECDH, createPublicKey, randomBytes, type ECDH } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import ece from 'http_ece';
import type { WebCredentials } from 'rookery/push-device';
import { localhost } from '../tls/index.js';
import { verifiedJwt, type Jwt } from './jwt.js';
import { listen } from './listen.js';
import { Script } from './script.js';

/** One answer of the stand-in. */
export type WebPushAnswer =
  | {
      readonly status: number;
      readonly body?: string;
      readonly headers?: Record<string, string>;
      readonly delayMs?: number;
    }
  | { readonly hangUp: true }
  | { readonly silence: true };

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
  url = '';
  close: () => Promise<void> = async () => {};
  private readonly browsers = new Map<string, Browser>();
  private readonly vapidKeys = createECDH('prime256v1');
  private sockets: ReadonlySet<Socket> = new Set();

  private constructor(private readonly options: StandInWebPushOptions) {
    super({ status: 201 });
    this.vapidKeys.generateKeys();
  }

  static async start(options: StandInWebPushOptions = {}): Promise<StandInWebPush> {
    const standIn = new StandInWebPush(options);
    const server = createServer({ ...localhost, keepAliveTimeout: 60_000 }, (request, response) =>
      standIn.take(request, response),
    );
    const { port, close, sockets } = await listen(server);
    standIn.url = `https://localhost:${port}`;
    standIn.close = close;
    standIn.sockets = sockets;
    return standIn;
  }

  get openConnections(): number {
    return this.sockets.size;
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

  private take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.answerTo(request, Buffer.concat(chunks), response));
  }

  private answerTo(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const browser = this.browsers.get(request.url ?? '');
    const vapid = this.vapidOf(request.headers.authorization ?? '');
    if (!browser) return send(response, { status: 404 });
    if (!request.headers.ttl) return send(response, { status: 400, body: 'TTL is missing' });
    if (vapid?.claims.aud !== this.url) return send(response, { status: 403, body: 'VAPID is wrong' });
    const answer = this.next(browser.token);
    if ((this.options.record ?? true) && 'status' in answer)
      this.received.push(received(browser, request.headers, body, vapid));
    this.respond(response, answer);
  }

  private respond(response: ServerResponse, answer: WebPushAnswer): void {
    if ('status' in answer && answer.status < 300) this.count++;
    const delayMs = ('delayMs' in answer && answer.delayMs) || this.options.delayMs || 0;
    if (delayMs > 0) setTimeout(() => send(response, answer), delayMs);
    else send(response, answer);
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

function send(response: ServerResponse, answer: WebPushAnswer): void {
  if ('silence' in answer) return;
  if ('hangUp' in answer) return void response.socket?.destroy();
  const body = answer.body ?? '';
  response.writeHead(answer.status, { 'content-length': Buffer.byteLength(body), ...answer.headers });
  response.end(body);
}

/** Starts a browser vendor's stand-in; close it when done. */
export const standInWebPush = (options?: StandInWebPushOptions): Promise<StandInWebPush> =>
  StandInWebPush.start(options);
