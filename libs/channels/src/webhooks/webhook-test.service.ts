import { Injectable } from '@nestjs/common';
import { type TestedWebhook, testedWebhook, webhookDelivery, WebhookSender } from '#webhooks';
import { Apps } from '../access/apps.js';
import type { AppOrId, AppWebhook } from '../app/app.js';
import type { WebhookEventName } from '../app/webhook-event-name.js';
import { ChannelsSettings } from '../channels.options.js';
import type { WebhookEvent } from './channel-events.js';
import { tryTimes } from './try-times.js';
import { signedRequests } from './signed-webhook.js';

/** Sends one made-up event to an endpoint of an app, at once and once only. */
@Injectable()
export class WebhookTestService {
  constructor(
    private readonly apps: Apps,
    private readonly sender: WebhookSender,
    private readonly settings: ChannelsSettings,
  ) {}

  async test(app: AppOrId, webhook: AppWebhook): Promise<TestedWebhook> {
    const found = await this.apps.named(app);
    const now = Date.now();
    const [request] = signedRequests(found, [webhook], [JSON.stringify(testEvent(webhook))], now);
    const times = tryTimes(this.settings.webhooks, now);
    // Reported as a first attempt, without another one.
    return testedWebhook(this.sender, webhookDelivery({ ...request!, ...times, expiresAt: now }, now));
  }
}

/** An event that the endpoint would get, on a channel that its filter lets through. */
export function testEvent({ events = [], filter }: Pick<AppWebhook, 'events' | 'filter'>): WebhookEvent {
  const { channelNameStartsWith = '', channelNameEndsWith = '' } = filter ?? {};
  const channel = `${channelNameStartsWith}rookery-test${channelNameEndsWith}`;
  const [name = 'channel_occupied'] = events as readonly WebhookEventName[];
  switch (name) {
    case 'channel_occupied':
    case 'channel_vacated':
    case 'cache_miss':
      return { name, channel };
    case 'member_added':
    case 'member_removed':
      return { name, channel, user_id: 'rookery-test' };
    case 'subscription_count':
      return { name, channel, subscription_count: 1 };
    case 'client_event':
      return { name, channel, event: 'client-rookery-test', data: '{}', socket_id: '1.1' };
    default:
      return name satisfies never;
  }
}
