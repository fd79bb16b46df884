import type { TryOutcome, WebhookClient } from './webhook-client.js';
import type { WebhookDelivery } from './webhook-delivery.js';

/** Wraps a client so that it reports the outcome of each try to `onTried`. */
export function countedTries(
  client: Pick<WebhookClient, 'post' | 'close'>,
  onTried: (tried: TryOutcome, delivery: WebhookDelivery) => void,
): Pick<WebhookClient, 'post' | 'close'> {
  return {
    async post(delivery, timeoutMs) {
      const tried = await client.post(delivery, timeoutMs);
      onTried(tried, delivery);
      return tried;
    },
    close: () => client.close(),
  };
}
