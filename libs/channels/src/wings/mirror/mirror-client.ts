import { hash } from 'node:crypto';
import { hmacHex } from '#common';
import type { TryOutcome, WebhookDelivery } from '#webhooks';
import type { App } from '../../app/app.js';
import type { Apps } from '../../access/apps.js';
import { type Query, textToSign } from '../../access/request-signature.js';
import type { DeliveryClient } from '../wing.js';

const scheme = 'mirror:';

/** The URL of a request to an app's mirror. @param tail the end of its path, such as `batch_events` */
export const mirrorUrl = (tail: string): string => scheme + tail;

/**
 * Signs requests to mirrors just before they are sent: a signature is valid for ten minutes, a request may wait longer.
 */
export class MirrorClient {
  constructor(
    private readonly apps: Pick<Apps, 'findById'>,
    private readonly client: DeliveryClient,
  ) {}

  /** A client that sends requests to mirrors, and passes all others on. */
  static beside(client: DeliveryClient, apps: Pick<Apps, 'findById'>): DeliveryClient {
    const mirrors = new MirrorClient(apps, client);
    return {
      post: (delivery, timeoutMs) =>
        delivery.url.startsWith(scheme) ? mirrors.post(delivery, timeoutMs) : client.post(delivery, timeoutMs),
      close: () => client.close(),
    };
  }

  async post(delivery: WebhookDelivery, timeoutMs: number): Promise<TryOutcome> {
    const app = await this.apps.findById(delivery.owner);
    if (!app?.mirror) return { outcome: 'refused', reason: 'the app has no mirror any more' };
    const url = signedUrl(app, delivery.url.slice(scheme.length), delivery.body);
    const outcome = await this.client.post({ ...delivery, url }, timeoutMs);
    if (outcome.outcome !== 'failed' || !isFinal(outcome.status)) return outcome;
    return { ...outcome, outcome: 'refused' };
  }
}

/** Whether a repeat would be refused too: not after rate limits or timeouts. */
const isFinal = (status = 0): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The URL of a POST to the app's mirror (api § Authentication). */
function signedUrl({ mirror, ...app }: App, tail: string, body: string): string {
  const { url, id = app.id, key = app.key, secret = app.secret } = mirror ?? { url: '' };
  const base = new URL(url);
  const path = `${base.pathname.replace(/\/$/, '')}/apps/${encodeURIComponent(id)}/${tail}`;
  const query: Query = [
    ['auth_key', key],
    ['auth_timestamp', String(Math.floor(Date.now() / 1000))],
    ['auth_version', '1.0'],
    ['body_md5', hash('md5', body)],
  ];
  const signature = hmacHex(secret, textToSign('POST', path, query));
  const pairs = [...query, ['auth_signature', signature] as const];
  return `${base.origin}${path}?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
