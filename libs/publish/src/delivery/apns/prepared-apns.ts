import type { DeviceAddress } from 'rookery/push-device';
import type { PushAnswer, SharedHeaders } from '../http2/exchange.js';
import type { Outcome, PreparedNotification } from '../push.gateway.js';
import { type ApnsAccount, tooManyUpdates } from './apns-account.js';
import type { ApnsMessage } from './apns-message.js';
import { apnsOutcome, delivered, isBadDeviceToken, reasonOf } from './apns-outcome.js';
import type { PreparedSandbox } from './prepared-sandbox.js';
import { hasOwnTopic, topicOf } from './push-type.js';

/** One notification, for Apple's devices. */
export class PreparedApns implements PreparedNotification {
  readonly ttlMs: number;
  /** The headers for the previous device, reused for the same app. */
  private last?: { readonly topic: string; readonly authorization: string; readonly headers: SharedHeaders };

  constructor(
    private readonly message: ApnsMessage,
    private readonly account: ApnsAccount,
    private readonly now: () => number,
    /** For devices of the sandbox, if the instance serves both environments. */
    private readonly sandbox?: PreparedSandbox,
  ) {
    this.ttlMs = message.ttlMs;
  }

  async send(device: DeviceAddress): Promise<Outcome> {
    const { token, bundleIdentifier, environment } = device;
    if (this.sandbox && environment === 'sandbox') return this.sandbox.send(device);
    if (bundleIdentifier === undefined) return { outcome: 'rejected', reason: 'MissingTopic' };
    const topic = topicOf(this.message.pushType, bundleIdentifier);
    if (!/^[\x21-\x7e]+$/.test(topic)) return { outcome: 'rejected', reason: 'BadTopic' };
    const bearer = await this.account.token.current();
    const answer = await this.ask(token, topic, bearer);
    if (answer.status === 200) return delivered;
    const last = await this.renewed(answer, token, topic, bearer);
    if (this.sandbox && environment === undefined && this.mayBeOfSandbox(last)) return this.sandbox.sendUnknown(device);
    return this.verdict(last, bundleIdentifier);
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

  /** The answer with a new provider token, if Apple considers the last one expired. */
  private async renewed(answer: PushAnswer, token: string, topic: string, bearer: string): Promise<PushAnswer> {
    const reason = reasonOf(answer);
    if (reason === tooManyUpdates) this.account.refusedUpdates();
    if (reason !== 'ExpiredProviderToken') return answer;
    const renewed = await this.account.token.renewed(bearer);
    return renewed === undefined ? answer : this.ask(token, topic, renewed);
  }

  /** Tokens of extensions are not the device's: they say nothing about its environment. */
  private mayBeOfSandbox(answer: PushAnswer): boolean {
    return isBadDeviceToken(answer) && !hasOwnTopic(this.message.pushType);
  }

  private verdict(answer: PushAnswer, bundleIdentifier: string): Outcome {
    const { pushType } = this.message;
    return apnsOutcome(answer, this.now(), this.account.keyId, hasOwnTopic(pushType), bundleIdentifier);
  }
}

/** Tokens are untrusted: no character of a token may end the path segment. */
function pathSegment(token: string): string {
  return /^\w+$/.test(token) ? token : encodeURIComponent(Buffer.from(token).toString());
}
