import type { FactoryProvider } from '@nestjs/common';
import {
  countedTries,
  Listeners,
  observedWebhook,
  showWebhookBacklog,
  webhookChannelIn,
  WebhookClient,
  WebhookSender,
} from '#webhooks';
import { JobStore } from 'rookery/jobs';
import { Apps } from './access/apps.js';
import { ChannelsSettings } from './channels.options.js';
import { ActivityTap } from './lifecycle/activity-tap.js';
import { ChannelsMetrics } from './metrics.js';
import type { DeliveryClient } from './wings/wing.js';
import { tryTimes } from './webhooks/try-times.js';
import { folded } from './wings/wings.js';

/** Sends the queued webhooks, and what features queue beside them; each try is counted and observed. */
export const webhookSender: FactoryProvider<WebhookSender> = {
  provide: WebhookSender,
  inject: [JobStore, ChannelsSettings, ChannelsMetrics, Listeners, Apps, ActivityTap],
  useFactory: (
    jobs: JobStore,
    { webhooks, webhookSender: sending }: ChannelsSettings,
    metrics: ChannelsMetrics,
    listeners: Listeners,
    apps: Apps,
    tap: ActivityTap,
  ) => {
    showWebhookBacklog(metrics.registry, 'rookery_channels', jobs);
    const retries = tryTimes(webhooks, 0).retryDelaysMs.length;
    const sender = folded.clients.reduce<DeliveryClient>(
      (client, beside) => beside(client, apps),
      new WebhookClient(false),
    );
    const client = countedTries(sender, (tried, delivery) => {
      metrics.webhookTried(delivery.owner, tried.outcome);
      const { owner: appId, body: data } = delivery;
      if (!tap.observer) return;
      const webhook = observedWebhook(delivery, tried, retries, Date.now());
      const channel = webhookChannelIn(data);
      tap.observer.observed({ appId, kind: 'webhook', ...(channel !== undefined && { channel }), data, webhook });
    });
    const options = {
      ...sending,
      maxWaiting: webhooks.maxWaiting,
      deadLetters: {
        most: webhooks.deadLetters,
        maxBytes: webhooks.deadLetterBytes,
        keepMs: webhooks.deadLetterMs,
      },
      onGivenUp: (count: number) => metrics.webhooksGivenUp.inc(count),
    };
    return new WebhookSender(jobs, options, listeners.beside(client));
  },
};
