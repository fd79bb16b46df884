import type { FactoryProvider } from '@nestjs/common';
import { countedTries, Listeners, observedWebhook, showWebhookBacklog, WebhookClient, WebhookSender } from '#webhooks';
import { JobStore } from 'rookery/jobs';
import { PublishMetrics } from '../metrics.js';
import { PublishSettings } from '../publish.options.js';
import { tryTimes } from './try-times.js';
import { PublishWebhookTap } from './webhook-tap.js';

const retries = tryTimes(0).retryDelaysMs.length;

/** Sends this module's webhooks; `webhookUrl` may point to a private address only if the setting allows it. */
export const webhookSenderProvider: FactoryProvider<WebhookSender> = {
  provide: WebhookSender,
  useFactory: (
    jobs: JobStore,
    settings: PublishSettings,
    metrics: PublishMetrics,
    listeners: Listeners,
    tap: PublishWebhookTap,
  ) => {
    const client = countedTries(new WebhookClient(settings.allowPrivateNetwork), (tried, delivery) => {
      metrics.webhookTries.inc({ outcome: tried.outcome });
      const { owner: instanceId, body } = delivery;
      tap.observer?.({ instanceId, body, webhook: observedWebhook(delivery, tried, retries, Date.now()) });
    });
    showWebhookBacklog(metrics.registry, 'rookery_publish', jobs);
    const options = {
      maxWaiting: settings.maxWaitingWebhooks,
      deadLetters: {
        most: settings.deadLetters,
        maxBytes: settings.deadLetterBytes,
        keepMs: settings.deadLetterMs,
      },
      onGivenUp: (count: number) => metrics.webhooksGivenUp.inc(count),
    };
    return new WebhookSender(jobs, options, listeners.beside(client));
  },
  inject: [JobStore, PublishSettings, PublishMetrics, Listeners, PublishWebhookTap],
};
