import type { ApnsCredentials, DeviceAddress } from 'rookery/push-device';
import {
  PlatformFault,
  PushGateway,
  SendLater,
  type Notification,
  type Outcome,
  type PreparedNotification,
} from '../push.gateway.js';
import type { PushAnswer, SharedHeaders } from '../http2/exchange.js';
import { Http2Pool } from '../http2/pool.js';
import { apnsMessage, type ApnsMessage } from './apns-message.js';
import { apnsOutcome, delivered, reasonOf } from './apns-outcome.js';
import { ProviderToken } from './provider-token.js';
import { hasOwnTopic, topicOf } from './push-type.js';

export interface ApnsGatewayOptions {
  /** The maximum number of simultaneous connections to one endpoint with one key. @default 4 */
  readonly connections?: number;
  /** The maximum number of concurrent streams per connection; the peer's SETTINGS may allow fewer. @default 250 */
  readonly streamsPerConnection?: number;
  /** How long a request may wait for an answer, in milliseconds. @default 20000 */
  readonly timeoutMs?: number;
  /** Ping interval in ms; closes a connection if a ping is still unanswered at the next one. @default 60000 */
  readonly pingEveryMs?: number;
  /** How long to keep an idle connection, in milliseconds. @default 3600000 */
  readonly idleAfterMs?: number;
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string;
  /** Clock in epoch milliseconds; a clock given here measures durations too. @default Date.now */
  readonly now?: () => number;
}

const production = 'https://api.push.apple.com';
const defaults = {
  connections: 4,
  streamsPerConnection: 250,
  timeoutMs: 20_000,
  pingEveryMs: 60_000,
  idleAfterMs: 3_600_000,
};

/** One team's key at one endpoint. Apple requires separate connections for different teams. */
interface Account {
  readonly keyId: string;
  readonly token: ProviderToken;
  readonly connections: Http2Pool;
}

/** Sends to Apple's devices over HTTP/2 with a provider token (beams-wire §11.1). */
export class ApnsGateway extends PushGateway {
  readonly platform = 'apns';
  private readonly accounts = new Map<string, Account>();
  private readonly options: typeof defaults & { readonly ca?: string };
  private readonly now: () => number;
  private readonly steady: () => number;

  constructor({ now, ...options }: ApnsGatewayOptions = {}) {
    super();
    this.now = now ?? Date.now;
    this.steady = now ?? (() => performance.now());
    this.options = { ...defaults, ...options };
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const { apns, id } = notification.instance;
    if (!apns)
      throw new PlatformFault(`Instance ${id} has no APNs credentials: give it \`apns: { key, keyId, teamId }\``);
    const message = apnsMessage(notification);
    if ('rejected' in message) return message;
    const account = this.accountOf(apns);
    await account.token.current();
    return new PreparedApns(message, account, this.now);
  }

  close(): Promise<void> {
    for (const { connections } of this.accounts.values()) connections.close();
    this.accounts.clear();
    return Promise.resolve();
  }

  private accountOf(credentials: ApnsCredentials): Account {
    const { key, keyId, teamId, endpoint = production } = credentials;
    const name = JSON.stringify([endpoint, teamId, keyId, key]);
    let account = this.accounts.get(name);
    if (!account) this.accounts.set(name, (account = this.newAccount(credentials, endpoint)));
    return account;
  }

  private newAccount(credentials: ApnsCredentials, endpoint: string): Account {
    if (!URL.canParse(endpoint)) throw new PlatformFault(`The APNs endpoint ${endpoint} is not a URL`);
    return {
      keyId: credentials.keyId,
      token: new ProviderToken(credentials, this.now, this.steady),
      connections: new Http2Pool(endpoint, { ...this.options, provesItself: true }),
    };
  }
}

class PreparedApns implements PreparedNotification {
  readonly ttlMs: number;
  /** The headers for the previous device, reused for the same app. */
  private last?: { readonly topic: string; readonly authorization: string; readonly headers: SharedHeaders };

  constructor(
    private readonly message: ApnsMessage,
    private readonly account: Account,
    private readonly now: () => number,
  ) {
    this.ttlMs = message.ttlMs;
  }

  async send(device: DeviceAddress): Promise<Outcome> {
    if (device.bundleIdentifier === undefined) return { outcome: 'rejected', reason: 'MissingTopic' };
    const topic = topicOf(this.message.pushType, device.bundleIdentifier);
    if (!/^[\x21-\x7e]+$/.test(topic)) return { outcome: 'rejected', reason: 'BadTopic' };
    const bearer = await this.account.token.current();
    const answer = await this.ask(device.token, topic, bearer);
    return answer.status === 200 ? delivered : this.judge(answer, device.token, topic, bearer);
  }

  private ask(token: string, topic: string, authorization: string): Promise<PushAnswer> {
    const headers = this.headers(topic, authorization);
    const path = `/3/device/${pathSegment(token)}`;
    return this.account.connections.request({ headers, path, body: this.message.body });
  }

  private headers(topic: string, authorization: string): SharedHeaders {
    if (this.last?.topic === topic && this.last.authorization === authorization) return this.last.headers;
    const headers: SharedHeaders = { ':method': 'POST', authorization, 'apns-topic': topic, ...this.message.headers };
    this.last = { topic, authorization, headers };
    return headers;
  }

  private async judge(answer: PushAnswer, token: string, topic: string, bearer: string): Promise<Outcome> {
    const reason = reasonOf(answer);
    if (reason === 'TooManyProviderTokenUpdates') throw new SendLater(reason, this.account.token.untilRenewalMs());
    if (reason === 'ExpiredProviderToken') {
      const renewed = await this.account.token.renewed(bearer);
      if (renewed !== undefined) return this.verdict(await this.ask(token, topic, renewed));
    }
    return this.verdict(answer);
  }

  private verdict(answer: PushAnswer): Outcome {
    return apnsOutcome(answer, this.now(), this.account.keyId, hasOwnTopic(this.message.pushType));
  }
}

/** Tokens are untrusted: no character of a token may end the path segment. */
function pathSegment(token: string): string {
  return /^\w+$/.test(token) ? token : encodeURIComponent(Buffer.from(token).toString());
}
