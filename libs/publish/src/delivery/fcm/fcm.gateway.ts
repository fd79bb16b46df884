import { type RequestRates, SafeFetch } from '#common';
import type { DeviceAddress, FcmServiceAccount } from 'rookery/push-device';
import type { Http2PoolOptions } from '../http2/pool.js';
import {
  PlatformFault,
  PushGateway,
  rejectedIn,
  type Notification,
  type Outcome,
  type PreparedNotification,
} from '../push.gateway.js';
import { passedSeconds } from '../time-to-live.js';
import { AccessToken } from './access-token.js';
import { FcmEndpoint, sendUrl } from './fcm-endpoint.js';
import { fcmBody, fcmMessage, type FcmMessage } from './fcm-message.js';
import { fcmOutcome, isUnauthorized } from './fcm-outcome.js';
import { ProjectQuota } from './project-quota.js';

export interface FcmGatewayOptions {
  /**
   * The maximum number of connections to one project's endpoint. Each carries 100 messages at a time with Google, and
   * one with an endpoint that supports only HTTP/1.1. @default 256
   */
  readonly connections?: number;
  /** The timeout of one message, in milliseconds. @default 20000 */
  readonly timeoutMs?: number;
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string;
  /** How many messages a project may send in a minute, and what counts them. @default no limit of ours */
  readonly quota?: { readonly perMinute: number; readonly rates: RequestRates };
  /** Clock in epoch milliseconds; a clock given here measures durations too. @default Date.now */
  readonly now?: () => number;
}

/** Google allows 100 streams by itself; middleboxes cut connections that stay idle for long. */
const http2 = { streamsPerConnection: 250, provesItself: false, pingEveryMs: 60_000, idleAfterMs: 240_000 };

/** Sends to Android devices with FCM HTTP v1 (beams-wire §11.2). */
export class FcmGateway extends PushGateway {
  readonly platform = 'fcm';
  private readonly tokens = new Map<string, AccessToken>();
  private readonly endpoints = new Map<string, FcmEndpoint>();
  private readonly quotas = new Map<string, ProjectQuota>();
  private readonly fetch: SafeFetch;
  private readonly options: Http2PoolOptions;
  private readonly now: () => number;
  private readonly steady: () => number;
  private readonly quota: FcmGatewayOptions['quota'];

  constructor({ connections = 256, timeoutMs = 20_000, ca, now, quota }: FcmGatewayOptions = {}) {
    super();
    this.quota = quota;
    this.now = now ?? Date.now;
    this.steady = now ?? (() => performance.now());
    this.options = { ...http2, connections, timeoutMs, ca };
    // The operator configures the endpoint and token_uri, so all addresses are allowed; the answer must be large enough
    // for a token.
    const operators = { allowHttp: true, allowPrivateNetwork: true, maxAnswerBytes: 65_536 };
    this.fetch = new SafeFetch({ ...operators, connections, timeoutMs, ca });
  }

  override refusal(notification: Notification): string | undefined {
    return rejectedIn(fcmMessage(notification, 0));
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const { fcm, id } = notification.instance;
    if (!fcm) throw new PlatformFault(`Instance ${id} has no FCM credentials: give it \`fcm: { serviceAccount }\``);
    const message = fcmMessage(notification, passedSeconds(notification.publishedAt, this.now()));
    if ('rejected' in message) return message;
    const url = sendUrl(fcm);
    const [endpoint, quota] = [this.endpointOf(url), this.quotaOf(url, fcm.serviceAccount)];
    return new PreparedFcm(message, endpoint, this.tokenOf(fcm.serviceAccount), quota, this.now);
  }

  async close(): Promise<void> {
    for (const endpoint of this.endpoints.values()) endpoint.close();
    await this.fetch.close();
  }

  private endpointOf(url: string): FcmEndpoint {
    let endpoint = this.endpoints.get(url);
    if (!endpoint) this.endpoints.set(url, (endpoint = new FcmEndpoint(url, this.options, this.fetch)));
    return endpoint;
  }

  private quotaOf(url: string, { project_id: project }: FcmServiceAccount): ProjectQuota | undefined {
    if (!this.quota || this.quota.perMinute === Infinity) return undefined;
    let quota = this.quotas.get(url);
    if (!quota) this.quotas.set(url, (quota = new ProjectQuota(project, this.quota.perMinute, this.quota.rates)));
    return quota;
  }

  private tokenOf(account: FcmServiceAccount): AccessToken {
    const name = JSON.stringify([account.token_uri, account.client_email, account.private_key]);
    let token = this.tokens.get(name);
    if (!token) this.tokens.set(name, (token = new AccessToken(account, this.fetch, this.now, this.steady)));
    return token;
  }
}

class PreparedFcm implements PreparedNotification {
  readonly ttlMs: number;

  constructor(
    private readonly message: FcmMessage,
    private readonly endpoint: FcmEndpoint,
    private readonly token: AccessToken,
    private readonly quota: ProjectQuota | undefined,
    private readonly now: () => number,
  ) {
    this.ttlMs = message.ttlMs;
  }

  async send({ token }: DeviceAddress): Promise<Outcome> {
    const turn = this.quota?.take();
    if (turn) await turn;
    const body = fcmBody(this.message, token);
    const bearer = await this.token.current();
    let answer = await this.endpoint.post(body, bearer);
    if (isUnauthorized(answer)) answer = await this.endpoint.post(body, await this.token.renewed(bearer));
    return fcmOutcome(answer, this.now());
  }
}
