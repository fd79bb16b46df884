import type { FactoryProvider } from '@nestjs/common';
import { WebhookOutbox, WebhookSender } from 'rookery/common';
import { PublishSettings } from '../publish.options.js';

/** The sender of this module's webhooks: those to `webhookUrl` reach private addresses only when the setting says so. */
export const webhookSenderProvider: FactoryProvider<WebhookSender> = {
  provide: WebhookSender,
  useFactory: (outbox: WebhookOutbox, { allowPrivateNetwork }: PublishSettings) =>
    new WebhookSender(outbox, { allowPrivateNetwork }),
  inject: [WebhookOutbox, PublishSettings],
};
