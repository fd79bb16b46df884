import { FetchFailed, SafeFetch, type Answer } from 'rookery/common';
import type { DeviceAddress, FcmCredentials, FcmServiceAccount } from 'rookery/push-device';
import {
  PlatformFault,
  PushGateway,
  type Notification,
  type Outcome,
  type PreparedNotification,
} from '../push.gateway.js';
import { laterAfter } from '../send-failure.js';
import { AccessToken } from './access-token.js';
import { fcmMessage, type FcmMessage } from './fcm-message.js';
import { fcmOutcome } from './fcm-outcome.js';

export interface FcmGatewayOptions {
  /** Connections kept open to Google, each with one message at a time. @default 256 */
  readonly connections?: number;
  /** How long one message may take, in milliseconds. @default 20000 */
  readonly timeoutMs?: number;
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string;
  /** What time it is, in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

const google = 'https://fcm.googleapis.com';

/** Sends to Android devices with FCM HTTP v1 (§11.2). */
export class FcmGateway extends PushGateway {
  readonly platform = 'fcm';
  private readonly tokens = new Map<string, AccessToken>();
  private readonly fetch: SafeFetch;
  private readonly now: () => number;

  constructor({ connections = 256, timeoutMs = 20_000, ca, now = Date.now }: FcmGatewayOptions = {}) {
    super();
    this.now = now;
    // The endpoint and token_uri are the operator's own, so nothing is forbidden; an answer has to hold an access token.
    const operators = { allowHttp: true, allowPrivateNetwork: true, maxAnswerBytes: 65_536 };
    this.fetch = new SafeFetch({ ...operators, connections, timeoutMs, ca });
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const { fcm, id } = notification.instance;
    if (!fcm) throw new PlatformFault(`Instance ${id} has no FCM credentials: give it \`fcm: { serviceAccount }\``);
    const message = fcmMessage(notification);
    if ('rejected' in message) return message;
    return new PreparedFcm(message, sendUrl(fcm), this.tokenOf(fcm.serviceAccount), this.fetch, this.now);
  }

  close(): Promise<void> {
    return this.fetch.close();
  }

  private tokenOf(account: FcmServiceAccount): AccessToken {
    const name = JSON.stringify([account.token_uri, account.client_email, account.private_key]);
    let token = this.tokens.get(name);
    if (!token) this.tokens.set(name, (token = new AccessToken(account, this.fetch, this.now)));
    return token;
  }
}

function sendUrl({ endpoint = google, serviceAccount }: FcmCredentials): string {
  return `${endpoint}/v1/projects/${encodeURIComponent(serviceAccount.project_id)}/messages:send`;
}

class PreparedFcm implements PreparedNotification {
  readonly ttlMs: number;

  constructor(
    private readonly message: FcmMessage,
    private readonly url: string,
    private readonly token: AccessToken,
    private readonly fetch: SafeFetch,
    private readonly now: () => number,
  ) {
    this.ttlMs = message.ttlMs;
  }

  async send({ token }: DeviceAddress): Promise<Outcome> {
    const body = this.message.beforeToken + JSON.stringify(token) + this.message.afterToken;
    const bearer = await this.token.current();
    let answer = await this.post(body, bearer);
    if (answer.status === 401) answer = await this.post(body, await this.token.renewed(bearer));
    return fcmOutcome(answer, this.now());
  }

  private async post(body: string, authorization: string): Promise<Answer> {
    try {
      const headers = { authorization, 'content-type': 'application/json' };
      return await this.fetch.request(this.url, { headers, body });
    } catch (error) {
      if (error instanceof FetchFailed) throw laterAfter(error);
      throw new PlatformFault(`The FCM endpoint ${this.url} is not a URL that can be asked`);
    }
  }
}
