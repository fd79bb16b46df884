import type { TryOutcome } from './webhook-client.js';
import type { WebhookDelivery } from './webhook-delivery.js';
import type { WebhookSender } from './webhook-sender.js';

/** A test webhook and its outcome. */
export interface TestedWebhook {
  readonly tried: TryOutcome;
  /** The body that was sent. */
  readonly body: string;
  readonly durationMs: number;
}

/** Sends a made-up webhook at once, and once only. */
export async function testedWebhook(
  sender: Pick<WebhookSender, 'tryOnce'>,
  delivery: WebhookDelivery,
): Promise<TestedWebhook> {
  const started = performance.now();
  const tried = await sender.tryOnce(delivery);
  return { tried, body: delivery.body, durationMs: Math.round(performance.now() - started) };
}
