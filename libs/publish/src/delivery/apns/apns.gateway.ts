import type { ApnsCredentials, DeviceAddress } from 'rookery/push-device';
import {
  PlatformFault,
  PushGateway,
  SendLater,
  type Notification,
  type Outcome,
  type PreparedNotification,
} from '../push.gateway.js';
import { ApnsConnections, type ApnsConnectionsOptions } from './apns-connections.js';
import type { ApnsAnswer } from './apns-exchange.js';
import { apnsMessage, type ApnsMessage } from './apns-message.js';
import { apnsOutcome, delivered, reasonOf } from './apns-outcome.js';
import { ProviderToken } from './provider-token.js';

export interface ApnsGatewayOptions extends Partial<ApnsConnectionsOptions> {
  /** What time it is, in epoch milliseconds. @default Date.now */
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
/** One key of one team at one endpoint. Apple wants the connections of different teams apart. */
interface Account {
  readonly keyId: string;
  readonly token: ProviderToken;
  readonly connections: ApnsConnections;
}

/** Sends to Apple's devices over HTTP/2 with a provider token (§11.1). */
export class ApnsGateway extends PushGateway {
  readonly platform = 'apns';
  private readonly accounts = new Map<string, Account>();
  private readonly options: ApnsConnectionsOptions;
  private readonly now: () => number;

  constructor({ now = Date.now, ...options }: ApnsGatewayOptions = {}) {
    super();
    this.now = now;
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
    if (!account) {
      const connections = new ApnsConnections(endpoint, this.options);
      account = { keyId, token: new ProviderToken(credentials, this.now), connections };
      this.accounts.set(name, account);
    }
    return account;
  }
}

class PreparedApns implements PreparedNotification {
  readonly ttlMs: number;

  constructor(
    private readonly message: ApnsMessage,
    private readonly account: Account,
    private readonly now: () => number,
  ) {
    this.ttlMs = message.ttlMs;
  }

  async send(device: DeviceAddress): Promise<Outcome> {
    const topic = device.bundleIdentifier;
    if (topic === undefined) return { outcome: 'rejected', reason: 'MissingTopic' };
    if (!/^[\x21-\x7e]+$/.test(topic)) return { outcome: 'rejected', reason: 'BadTopic' };
    const bearer = await this.account.token.current();
    const answer = await this.ask(device.token, topic, bearer);
    return answer.status === 200 ? delivered : this.judge(answer, device.token, topic, bearer);
  }

  private ask(token: string, topic: string, authorization: string): Promise<ApnsAnswer> {
    const headers = {
      ':method': 'POST',
      ':path': `/3/device/${pathSegment(token)}`,
      authorization,
      'apns-topic': topic,
      ...this.message.headers,
    };
    return this.account.connections.request({ headers, body: this.message.body });
  }

  private async judge(answer: ApnsAnswer, token: string, topic: string, bearer: string): Promise<Outcome> {
    const reason = reasonOf(answer);
    if (reason === 'TooManyProviderTokenUpdates') throw new SendLater(reason, this.account.token.untilRenewalMs());
    if (reason === 'ExpiredProviderToken') {
      const renewed = await this.account.token.renewed(bearer);
      if (renewed !== undefined) return this.verdict(await this.ask(token, topic, renewed));
    }
    return this.verdict(answer);
  }

  private verdict(answer: ApnsAnswer): Outcome {
    return apnsOutcome(answer, this.now(), this.account.keyId);
  }
}

/** Tokens come from anybody: nothing of one may end the path. */
function pathSegment(token: string): string {
  return /^\w+$/.test(token) ? token : encodeURIComponent(Buffer.from(token).toString());
}
