import { type FetchedAnswer, FetchFailed, isHostAmong, type SafeFetch, UnsafeUrl } from '#common';
import { type DeviceAddress, maxEndpointLength } from 'rookery/internal/push-device';
import { type Notification, type Outcome, type PreparedNotification, SendLater } from '../push.gateway.js';
import { laterAfter } from '../send-failure.js';
import type { Encryptor } from './encryption/encryptor.js';
import type { LimitedOrigins } from './limited-origins.js';
import { Refusals } from './refusals.js';
import type { SilentOrigins } from './silent-origins.js';
import { parseSubscription } from './subscription.js';
import type { Vapid } from './vapid.js';
import type { VapidKeys } from './vapid-keys.js';
import type { WebMessage } from './web-message.js';
import { limitsTheSite, tooManyMessages, webPushOutcome } from './web-push-outcome.js';

const windowsHosts = ['*.notify.windows.com'];

/**
 * The header that Windows' push service needs besides `TTL`: it answers 400 to a TTL of 0 for a message that it should
 * keep for devices that are offline.
 */
function windowsHeaders(host: string, ttl: string | undefined): Readonly<Record<string, string>> {
  if (!isHostAmong(windowsHosts, host)) return none;
  return { 'x-wns-cache-policy': ttl === '0' ? 'no-cache' : 'cache' };
}

const none = {};

const invalidSubscription: Outcome = { outcome: 'rejected', reason: 'InvalidSubscription' };

const unknownVapidKey: Outcome = { outcome: 'rejected', reason: 'UnknownVapidKey' };

/** A push service knows a site by its VAPID key. */
const siteAt = (origin: string, vapid: Vapid): string => `${origin} ${vapid.publicKey}`;

/** What all publishes to browsers with the same VAPID keys share. */
export interface WebPushServices {
  readonly vapids: VapidKeys;
  readonly encryptor: Encryptor;
  readonly fetch: SafeFetch;
  readonly silent: SilentOrigins;
  readonly limited: LimitedOrigins;
  /** Whether the browsers of a push service show notifications without a service worker. */
  readonly showsItself: (host: string) => boolean;
  readonly now: () => number;
  readonly steady: () => number;
}

/** One publish for browsers. */
export class PreparedWebPush implements PreparedNotification {
  readonly ttlMs: number;
  private readonly refusals: Refusals;

  constructor(
    private readonly message: WebMessage,
    notification: Notification,
    private readonly services: WebPushServices,
  ) {
    this.ttlMs = message.ttlMs;
    this.refusals = new Refusals(notification);
  }

  async send(device: DeviceAddress): Promise<Outcome> {
    const { id, token } = device;
    const vapid = this.services.vapids.of(device);
    if (!vapid) return unknownVapidKey;
    const subscription = parseSubscription(token);
    if (!subscription || !URL.canParse(subscription.endpoint)) return invalidSubscription;
    const { origin, hostname, href } = new URL(subscription.endpoint);
    if (href.length > maxEndpointLength) return invalidSubscription;
    const { limited, steady, encryptor } = this.services;
    const restMs = limited.waitMs(siteAt(origin, vapid), steady());
    if (restMs > 0) throw new SendLater(tooManyMessages(), restMs);
    const body = await encryptor.encrypt(this.plaintextFor(hostname, id), subscription);
    return body ? this.post(subscription.endpoint, vapid, body) : invalidSubscription;
  }

  private plaintextFor(host: string, deviceId: string): Buffer {
    const { plaintext, declarative } = this.message;
    return (declarative && this.services.showsItself(host) ? declarative(deviceId) : undefined) ?? plaintext;
  }

  private async post(endpoint: string, vapid: Vapid, body: Buffer): Promise<Outcome> {
    const { origin, hostname } = new URL(endpoint);
    const { headers: more } = this.message;
    const headers = {
      authorization: await vapid.authorization(origin),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ...more,
      ...windowsHeaders(hostname, more['ttl']),
    };
    const { silent, fetch, steady } = this.services;
    const begunAt = steady();
    const waitMs = silent.begin(origin, begunAt);
    if (waitMs > 0) throw new SendLater('Unreachable (lately)', waitMs);
    let answer: FetchedAnswer;
    try {
      answer = await fetch.request(endpoint, { headers, body, timeoutMs: silent.timeoutMs(origin) });
    } catch (error) {
      return this.unanswered(error, origin, begunAt);
    }
    silent.answered(origin, steady());
    this.refusals.note(origin, answer);
    return this.outcomeOf(answer, siteAt(origin, vapid));
  }

  private outcomeOf(answer: FetchedAnswer, site: string): Outcome {
    const { limited, now, steady } = this.services;
    try {
      const outcome = webPushOutcome(answer, now());
      limited.accepted(site);
      return outcome;
    } catch (error) {
      if (error instanceof SendLater && limitsTheSite(answer, error.retryAfterMs))
        limited.refused(site, steady(), error.retryAfterMs);
      throw error;
    }
  }

  private unanswered(error: unknown, origin: string, begunAt: number): Outcome {
    const { silent, steady } = this.services;
    if (error instanceof FetchFailed) {
      silent.silent(origin, begunAt, steady());
      throw laterAfter(error);
    }
    silent.unasked(origin);
    if (error instanceof UnsafeUrl) return { outcome: 'rejected', reason: `UnsafeUrl (${error.reason})` };
    throw error;
  }
}
