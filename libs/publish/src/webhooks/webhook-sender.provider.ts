import type { FactoryProvider } from '@nestjs/common';
import {
  countedTries,
  Listeners,
  showWebhookBacklog,
  type TryOutcome,
  WebhookClient,
  WebhookSender,
} from 'rookery/common';
import { JobStore } from 'rookery/jobs';
import { PublishMetrics } from '../metrics.js';
import { PublishSettings } from '../publish.options.js';

/** Sends this module's webhooks; `webhookUrl` may point to a private address only if the setting allows it. */
export const webhookSenderProvider: FactoryProvider<WebhookSender> = {
  provide: WebhookSender,
  useFactory: (jobs: JobStore, settings: PublishSettings, metrics: PublishMetrics, listeners: Listeners) => {
    const tried = ({ outcome }: TryOutcome): void => metrics.webhookTries.inc({ outcome });
    const client = listeners.beside(countedTries(new WebhookClient(settings.allowPrivateNetwork), tried));
    showWebhookBacklog(metrics.registry, 'rookery_publish', jobs);
    const options = {
      maxWaiting: settings.maxWaitingWebhooks,
      deadLetters: { most: settings.deadLetters, keepMs: settings.deadLetterMs },
      onGivenUp: (count: number) => metrics.webhooksGivenUp.inc(count),
    };
    return new WebhookSender(jobs, options, client);
  },
  inject: [JobStore, PublishSettings, PublishMetrics, Listeners],
};
