import { Logger } from '@nestjs/common';
import { FetchFailed, SafeFetch, UnsafeUrl, type Answer, type SafeFetchOptions } from 'rookery/common';
import type { DeviceAddress, WebCredentials } from 'rookery/push-device';
import {
  PlatformFault,
  PushGateway,
  type Notification,
  type Outcome,
  type PreparedNotification,
} from '../push.gateway.js';
import { laterAfter } from '../send-failure.js';
import { encrypt } from './encrypt.js';
import { parseSubscription, type Subscription } from './subscription.js';
import { Turns } from './turns.js';
import { Vapid } from './vapid.js';
import { webMessage, type WebMessage } from './web-message.js';
import { webPushOutcome } from './web-push-outcome.js';

export interface WebPushGatewayOptions extends Omit<SafeFetchOptions, 'allowHttp' | 'maxAnswerBytes'> {
  /** What time it is, in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** One takes about 0.2 ms. */
const encryptionsPerTurn = 8;

/** Sends to browsers: VAPID, one aes128gcm record, only to public https endpoints (§11.3). */
export class WebPushGateway extends PushGateway {
  readonly platform = 'web';
  private readonly vapids = new Map<string, Vapid>();
  private readonly turns = new Turns(encryptionsPerTurn);
  private readonly fetch: SafeFetch;
  private readonly now: () => number;

  constructor({ now = Date.now, ...options }: WebPushGatewayOptions = {}) {
    super();
    this.now = now;
    this.fetch = new SafeFetch({ connections: 256, ...options });
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const { web, id } = notification.instance;
    if (!web)
      throw new PlatformFault(
        `Instance ${id} has no VAPID keys: give it \`web: { vapidPublicKey, vapidPrivateKey, subject }\``,
      );
    const message = webMessage(notification);
    if ('rejected' in message) return message;
    return new PreparedWebPush(message, notification, this.vapidOf(web), this.turns, this.fetch, this.now);
  }

  close(): Promise<void> {
    return this.fetch.close();
  }

  private vapidOf(credentials: WebCredentials): Vapid {
    const name = JSON.stringify([credentials.vapidPublicKey, credentials.vapidPrivateKey, credentials.subject]);
    let vapid = this.vapids.get(name);
    if (!vapid) this.vapids.set(name, (vapid = new Vapid(credentials, this.now)));
    return vapid;
  }
}

const invalidSubscription: Outcome = { outcome: 'rejected', reason: 'InvalidSubscription' };

class PreparedWebPush implements PreparedNotification {
  readonly ttlMs: number;
  private readonly refusals: Refusals;

  constructor(
    private readonly message: WebMessage,
    notification: Notification,
    private readonly vapid: Vapid,
    private readonly turns: Turns,
    private readonly fetch: SafeFetch,
    private readonly now: () => number,
  ) {
    this.ttlMs = message.ttlMs;
    this.refusals = new Refusals(notification);
  }

  async send({ token }: DeviceAddress): Promise<Outcome> {
    const subscription = parseSubscription(token);
    if (!subscription || !URL.canParse(subscription.endpoint)) return invalidSubscription;
    const { origin } = new URL(subscription.endpoint);
    const authorization = await this.vapid.authorization(origin);
    await this.turns.next();
    const body = this.encrypted(subscription);
    return body ? this.post(subscription.endpoint, origin, authorization, body) : invalidSubscription;
  }

  /** `undefined` when the browser's key is no point of the curve. */
  private encrypted(subscription: Subscription): Buffer | undefined {
    try {
      return encrypt(this.message.plaintext, subscription);
    } catch {
      return undefined;
    }
  }

  private async post(endpoint: string, origin: string, authorization: string, body: Buffer): Promise<Outcome> {
    const headers = {
      authorization,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ...this.message.headers,
    };
    try {
      const answer = await this.fetch.request(endpoint, { headers, body });
      this.refusals.note(origin, answer);
      return webPushOutcome(answer, this.now());
    } catch (error) {
      if (error instanceof UnsafeUrl) return { outcome: 'rejected', reason: `UnsafeUrl (${error.reason})` };
      if (error instanceof FetchFailed) throw laterAfter(error);
      throw error;
    }
  }
}

/** What is logged of one publish is bounded, as anybody can register endpoints. */
const mostOriginsLogged = 10;

/** Reports once per push service that it does not take the VAPID keys of a publish's instance. */
class Refusals {
  private readonly logger = new Logger(WebPushGateway.name);
  private readonly origins = new Set<string>();

  constructor(private readonly notification: Notification) {}

  note(origin: string, { status }: Answer): void {
    if (status !== 400 && status !== 401 && status !== 403) return;
    if (this.origins.size >= mostOriginsLogged || this.origins.has(origin)) return;
    this.origins.add(origin);
    const { publishId, instance } = this.notification;
    this.logger.warn(
      `${origin} answers ${status} to ${publishId}: the VAPID keys or subject of instance ${instance.id} are wrong, ` +
        'or not those that its browsers subscribed with',
    );
  }
}
