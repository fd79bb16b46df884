import { createHmac } from 'node:crypto';
import type { App, AppWebhook } from '../app/app.js';

/** A body and the signature over its bytes; all endpoints that get the same events get the same body. */
export interface SignedWebhook {
  readonly body: string;
  readonly signature: string;
}

/** `{"time_ms":1327078148132,"events":[{"name":"channel_occupied","channel":"news"}]}` (channels-wire §7) */
export function signWebhook(app: App, eventsJson: readonly string[], now: number): SignedWebhook {
  const body = `{"time_ms":${now},"events":[${eventsJson.join(',')}]}`;
  return { body, signature: createHmac('sha256', app.secret).update(body).digest('hex') };
}

/** The endpoint's configured headers; the protocol's headers win. */
export function webhookHeaders(app: App, { headers = {} }: AppWebhook, signature: string): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !protocolHeaders.has(name.toLowerCase()));
  return {
    ...Object.fromEntries(own),
    // Official libraries compare the whole header: no charset.
    'Content-Type': 'application/json',
    'X-Pusher-Key': app.key,
    'X-Pusher-Signature': signature,
  };
}

const protocolHeaders = new Set(['content-type', 'x-pusher-key', 'x-pusher-signature']);
