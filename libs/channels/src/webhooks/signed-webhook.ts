import { createHmac } from 'node:crypto';
import type { WebhookRequest } from '#webhooks';
import type { App, AppWebhook } from '../app/app.js';
import { signingPair } from '../protocol/credentials.js';

/**
 * A request for each of the webhooks. All get the same body, signed once:
 * `{"time_ms":1327078148132,"events":[{"name":"channel_occupied","channel":"news"}]}` (channels-wire §7)
 */
export function signedRequests(
  app: App,
  webhooks: readonly AppWebhook[],
  eventsJson: readonly string[],
  now: number,
): readonly WebhookRequest[] {
  const body = `{"time_ms":${now},"events":[${eventsJson.join(',')}]}`;
  const signed = signedHeaders(app, body);
  return webhooks.map((webhook) => ({
    owner: app.id,
    url: webhook.url,
    headers: { ...ownHeaders(webhook), ...signed },
    body,
  }));
}

/** The headers of a body that an app sends to its own servers (channels-wire §7). */
export function signedHeaders(app: App, body: string): Record<string, string> {
  const { key, secret } = signingPair(app);
  return {
    // Official libraries compare the whole header: no charset.
    'Content-Type': 'application/json',
    'X-Pusher-Key': key,
    'X-Pusher-Signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
}

/** The endpoint's configured headers; the protocol's headers win. */
const ownHeaders = ({ headers = {} }: AppWebhook): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !protocolHeaders.has(name.toLowerCase())));

const protocolHeaders = new Set(['content-type', 'x-pusher-key', 'x-pusher-signature']);
