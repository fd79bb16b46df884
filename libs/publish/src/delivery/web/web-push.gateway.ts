import { isHostAmong, SafeFetch, type SafeFetchOptions } from '#common';
import { vapidPairs, type WebCredentials } from 'rookery/internal/push-device';
import {
  PlatformFault,
  PushGateway,
  rejectedIn,
  type Notification,
  type PreparedNotification,
} from '../push.gateway.js';
import { openLink } from './open-link.js';
import type { OpenLinkOf } from './declarative-message.js';
import { Encryptor } from './encryption/encryptor.js';
import { passedSeconds } from '../time-to-live.js';
import { knownPushServices } from '../../publish.options.js';
import { endpointRefusal, type WebPushTargets } from './endpoint-refusal.js';
import { LimitedOrigins } from './limited-origins.js';
import { PreparedWebPush } from './prepared-web-push.js';
import { SilentOrigins } from './silent-origins.js';
import { Vapid, type VapidCredentials } from './vapid.js';
import { VapidKeys } from './vapid-keys.js';
import { webMessage } from './web-message.js';

/** `allowedHosts` defaults to {@link knownPushServices}; `['*']` allows every public host. */
export interface WebPushGatewayOptions extends Omit<SafeFetchOptions, 'allowHttp' | 'maxAnswerBytes'> {
  /** How long to wait for an origin that has never answered, in ms. @default 3000, or `timeoutMs` if that is less */
  readonly firstTimeoutMs?: number;
  /**
   * Push services whose browsers show notifications themselves, without a service worker, as host patterns.
   * @default Apple's: `*.push.apple.com`
   */
  readonly declarativeHosts?: readonly string[];
  /**
   * Where browsers reach this server, with its base path: links in such notifications lead there first, so that
   * openings are counted. @default none: links lead straight to the `deep_link` of the publish
   */
  readonly publicUrl?: string;
  /** Clock in epoch milliseconds; a clock given here measures durations too. @default Date.now */
  readonly now?: () => number;
}

/**
 * Sends to browsers: VAPID, a single aes128gcm record, only to https endpoints of allowed push services
 * (beams-wire §11.3).
 */
export class WebPushGateway extends PushGateway {
  readonly platform = 'web';
  private readonly vapids = new Map<string, Vapid>();
  private readonly encryptor = new Encryptor();
  private readonly silent: SilentOrigins;
  private readonly limited = new LimitedOrigins();
  private readonly fetch: SafeFetch;
  private readonly declarativeHosts: readonly string[];
  private readonly publicUrl: string | undefined;
  private readonly targets: WebPushTargets;
  private readonly now: () => number;
  private readonly steady: () => number;

  constructor({ now, firstTimeoutMs = 3000, declarativeHosts, publicUrl, ...options }: WebPushGatewayOptions = {}) {
    super();
    const { allowedHosts = knownPushServices, allowPrivateNetwork, timeoutMs = Infinity } = options;
    this.targets = { webPushHosts: allowedHosts, allowPrivateNetwork };
    this.now = now ?? Date.now;
    this.steady = now ?? (() => performance.now());
    this.declarativeHosts = declarativeHosts ?? ['*.push.apple.com'];
    this.publicUrl = publicUrl;
    this.silent = new SilentOrigins(Math.min(firstTimeoutMs, timeoutMs));
    // In a private network, endpoints may lack TLS.
    this.fetch = new SafeFetch({ connections: 256, ...options, allowedHosts, allowHttp: allowPrivateNetwork });
  }

  override refusal(notification: Notification): string | undefined {
    return rejectedIn(webMessage(notification, 0));
  }

  override tokenRefusal(token: string): string | undefined {
    return endpointRefusal(token, this.targets);
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    const { web, id } = notification.instance;
    if (!web)
      throw new PlatformFault(
        `Instance ${id} has no VAPID keys: give it \`web: { vapidPublicKey, vapidPrivateKey, subject }\``,
      );
    const passed = passedSeconds(notification.publishedAt, this.now());
    const message = webMessage(notification, passed, this.linkOf(notification));
    if ('rejected' in message) return message;
    const vapids = this.vapidsOf(web);
    const { encryptor, fetch, silent, limited, now, steady } = this;
    const showsItself = (host: string): boolean => isHostAmong(this.declarativeHosts, host);
    const services = { vapids, encryptor, fetch, silent, limited, showsItself, now, steady };
    return new PreparedWebPush(message, notification, services);
  }

  async close(): Promise<void> {
    await this.encryptor.close();
    await this.fetch.close();
  }

  private linkOf({ instance, publishId }: Notification): OpenLinkOf | undefined {
    const { publicUrl } = this;
    if (publicUrl === undefined) return undefined;
    return (deviceId, to) => openLink(publicUrl, instance, { publishId, deviceId, to });
  }

  private vapidsOf(web: WebCredentials): VapidKeys {
    const { subject } = web;
    return new VapidKeys([...vapidPairs(web)].map(([name, pair]) => [name, this.vapidOf({ ...pair, subject })]));
  }

  private vapidOf(credentials: VapidCredentials): Vapid {
    const name = JSON.stringify([credentials.vapidPublicKey, credentials.vapidPrivateKey, credentials.subject]);
    let vapid = this.vapids.get(name);
    if (!vapid) this.vapids.set(name, (vapid = new Vapid(credentials, this.now, this.steady)));
    return vapid;
  }
}
