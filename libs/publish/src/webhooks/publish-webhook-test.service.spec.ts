import { expect, it } from 'vitest';
import type { WebhookDelivery } from '#webhooks';
import { webhookEvents } from 'rookery/push-device';
import { PublishWebhookTestService } from './publish-webhook-test.service.js';
import { signatureOf } from './instance-event.js';

const id = '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60';

/** The delivery that a test of the webhook would send. */
async function tested(events: readonly string[]): Promise<WebhookDelivery> {
  const sent: WebhookDelivery[] = [];
  const sender = {
    tryOnce(delivery: WebhookDelivery) {
      sent.push(delivery);
      return Promise.resolve({ outcome: 'accepted', status: 200 } as const);
    },
  };
  const webhook = { url: 'https://hooks.example/', secret: 'shh', events };
  const { tried, body } = await new PublishWebhookTestService(sender, () => 1000).test(
    { id, secretKey: 's', webhooks: [webhook] },
    webhook,
  );
  expect(tried.outcome).toBe('accepted');
  expect(sent.map((delivery) => delivery.body)).toEqual([body]);
  return sent[0]!;
}

it.each(webhookEvents)('sends an event %s to a webhook that gets it, signed and without another try', async (type) => {
  const { body, headers, expiresAt } = await tested([type]);
  expect(JSON.parse(body)).toMatchObject({ payload: { instance_id: id }, metadata: { event_type: type } });
  expect(headers).toMatchObject({ 'Webhook-Event-Type': type, 'Webhook-Signature': signatureOf(body, 'shh') });
  expect(expiresAt).toBe(1000);
});
