import type { FactoryProvider } from '@nestjs/common';
import {
  Listeners,
  showWebhookBacklog,
  WebhookClient,
  type WebhookDelivery,
  WebhookOutbox,
  WebhookSender,
} from 'rookery/common';
import { PublishMetrics } from '../metrics.js';
import { PublishSettings } from '../publish.options.js';

/** The sender of this module's webhooks: those to `webhookUrl` reach private addresses only when the setting says so. */
export const webhookSenderProvider: FactoryProvider<WebhookSender> = {
  provide: WebhookSender,
  useFactory: (outbox: WebhookOutbox, settings: PublishSettings, metrics: PublishMetrics, listeners: Listeners) => {
    const client = listeners.beside(counted(new WebhookClient(settings.allowPrivateNetwork), metrics));
    showWebhookBacklog(metrics.registry, 'rookery_publish', outbox);
    const options = {
      maxWaiting: settings.maxWaitingWebhooks,
      deadLetters: { most: settings.deadLetters, keepMs: settings.deadLetterMs },
      onGivenUp: (count: number) => metrics.webhooksGivenUp.inc(count),
    };
    return new WebhookSender(outbox, options, client);
  },
  inject: [WebhookOutbox, PublishSettings, PublishMetrics, Listeners],
};

const counted = (client: WebhookClient, { webhookTries }: PublishMetrics): Pick<WebhookClient, 'post' | 'close'> => ({
  async post(delivery: WebhookDelivery, timeoutMs: number) {
    const tried = await client.post(delivery, timeoutMs);
    webhookTries.inc({ outcome: tried.outcome });
    return tried;
  },
  close: () => client.close(),
});
