import { type Answer, FetchFailed, UnsafeUrl, type SafeFetch } from 'rookery/common';
import type { DeviceAddress } from 'rookery/push-device';
import { type Notification, type Outcome, type PreparedNotification, SendLater } from '../push.gateway.js';
import { laterAfter } from '../send-failure.js';
import type { Encryptor } from './encryption/encryptor.js';
import type { LimitedOrigins } from './limited-origins.js';
import { Refusals } from './refusals.js';
import type { SilentOrigins } from './silent-origins.js';
import { parseSubscription } from './subscription.js';
import type { Vapid } from './vapid.js';
import type { WebMessage } from './web-message.js';
import { tooManyMessages, webPushOutcome } from './web-push-outcome.js';

const invalidSubscription: Outcome = { outcome: 'rejected', reason: 'InvalidSubscription' };

/** One publish for browsers. */
export class PreparedWebPush implements PreparedNotification {
  readonly ttlMs: number;
  private readonly refusals: Refusals;

  constructor(
    private readonly message: WebMessage,
    notification: Notification,
    private readonly vapid: Vapid,
    private readonly encryptor: Encryptor,
    private readonly fetch: SafeFetch,
    private readonly silent: SilentOrigins,
    private readonly limited: LimitedOrigins,
    private readonly now: () => number,
    private readonly steady: () => number,
  ) {
    this.ttlMs = message.ttlMs;
    this.refusals = new Refusals(notification);
  }

  async send({ token }: DeviceAddress): Promise<Outcome> {
    const subscription = parseSubscription(token);
    if (!subscription || !URL.canParse(subscription.endpoint)) return invalidSubscription;
    const { origin } = new URL(subscription.endpoint);
    const restMs = this.limited.waitMs(this.siteAt(origin), this.steady());
    if (restMs > 0) throw new SendLater(tooManyMessages, restMs);
    const authorization = await this.vapid.authorization(origin);
    const body = await this.encryptor.encrypt(this.message.plaintext, subscription);
    return body ? this.post(subscription.endpoint, origin, authorization, body) : invalidSubscription;
  }

  private async post(endpoint: string, origin: string, authorization: string, body: Buffer): Promise<Outcome> {
    const headers = {
      authorization,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ...this.message.headers,
    };
    const begunAt = this.steady();
    const waitMs = this.silent.begin(origin, begunAt);
    if (waitMs > 0) throw new SendLater('Unreachable (lately)', waitMs);
    let answer: Answer;
    try {
      answer = await this.fetch.request(endpoint, { headers, body, timeoutMs: this.silent.timeoutMs(origin) });
    } catch (error) {
      return this.unanswered(error, origin, begunAt);
    }
    this.silent.answered(origin, this.steady());
    this.refusals.note(origin, answer);
    return this.outcomeOf(answer, this.siteAt(origin));
  }

  private outcomeOf(answer: Answer, site: string): Outcome {
    try {
      const outcome = webPushOutcome(answer, this.now());
      this.limited.accepted(site);
      return outcome;
    } catch (error) {
      if (error instanceof SendLater && error.reason === tooManyMessages)
        this.limited.refused(site, this.steady(), error.retryAfterMs);
      throw error;
    }
  }

  /** A push service knows a site by its VAPID key. */
  private siteAt(origin: string): string {
    return `${origin} ${this.vapid.publicKey}`;
  }

  private unanswered(error: unknown, origin: string, begunAt: number): Outcome {
    if (error instanceof FetchFailed) {
      this.silent.silent(origin, begunAt, this.steady());
      throw laterAfter(error);
    }
    this.silent.unasked(origin);
    if (error instanceof UnsafeUrl) return { outcome: 'rejected', reason: `UnsafeUrl (${error.reason})` };
    throw error;
  }
}
