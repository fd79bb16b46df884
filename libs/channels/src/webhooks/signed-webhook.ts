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
  const { key, secret } = signingPair(app);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return webhooks.map((webhook) => ({
    owner: app.id,
    url: webhook.url,
    headers: headersOf(webhook, key, signature),
    body,
  }));
}

/** The endpoint's configured headers; the protocol's headers win. */
function headersOf({ headers = {} }: AppWebhook, key: string, signature: string): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !protocolHeaders.has(name.toLowerCase()));
  return {
    ...Object.fromEntries(own),
    // Official libraries compare the whole header: no charset.
    'Content-Type': 'application/json',
    'X-Pusher-Key': key,
    'X-Pusher-Signature': signature,
  };
}

const protocolHeaders = new Set(['content-type', 'x-pusher-key', 'x-pusher-signature']);
