import type { Logger } from '@nestjs/common';
import {
  type WebhookDelivery,
  webhookDelivery,
  WebhookBuffer,
  type WebhookRequest,
  type WebhookSender,
} from '#webhooks';
import type { App } from '../app/app.js';
import type { WebhookSettings } from '../channels.options.js';
import { accessOf, isCacheChannel } from '../protocol/channel-name.js';
import type { ActivityRecipients } from './activity-recipients.js';
import type { Activity } from './channel-events.js';
import { textsOf } from './event-texts.js';
import { signedRequests } from './signed-webhook.js';
import { tryTimes } from './try-times.js';
import { WebhookBatches } from './webhook-batches.js';

type Order = Pick<WebhookDelivery, 'lane' | 'sequence'>;

/** Queues events for the sender: a request for each receiver, or a batch for apps that want them batched. */
export class WebhookQueue {
  private readonly batches: WebhookBatches;
  private readonly buffer: WebhookBuffer;

  constructor(
    sender: WebhookSender,
    private readonly settings: WebhookSettings,
    logger: Logger,
  ) {
    this.buffer = new WebhookBuffer(sender, logger);
    this.batches = new WebhookBatches(settings.batchMs, settings.batchEvents, ({ app, webhook, eventsJson, settled }) =>
      this.bufferAll(signedRequests(app, [webhook], eventsJson, Date.now()), { sequence: 'batches' }, () =>
        settled.forEach((call) => call()),
      ),
    );
  }

  /**
   * Never throws or waits.
   * @param settles makes a function for each part of the recipients, called when its requests are stored or lost
   */
  enqueue(app: App, event: Activity, { webhooks, listeners }: ActivityRecipients, settles?: () => () => void): void {
    const order = { lane: laneOf(event), sequence: sequenceOf(event) };
    const now = Date.now();
    if (listeners.length > 0) this.bufferAll(listenerRequests(app, listeners, event, now), order, settles?.());
    for (const text of textsOf(event, webhooks))
      if (app.batchWebhooks) for (const each of text.webhooks) this.batches.add(app, each, text.json, settles?.());
      else this.bufferAll(signedRequests(app, text.webhooks, [text.json], now), order, settles?.());
  }

  /** Resolves when all requests are stored or lost. */
  async enqueueAndWait(app: App, event: Activity, recipients: ActivityRecipients): Promise<void> {
    const pending: Promise<void>[] = [];
    this.enqueue(app, event, recipients, () => {
      let settled = (): void => {};
      pending.push(new Promise((resolve) => (settled = resolve)));
      return settled;
    });
    await Promise.all(pending);
  }

  /** Resolves when what was collected is stored or lost, once it is closed. */
  stored(): Promise<void> {
    return this.buffer.stored();
  }

  /** Sends collected events, and stops collecting. */
  close(): void {
    this.batches.close();
    this.buffer.close();
  }

  private bufferAll(requests: readonly WebhookRequest[], order: Order, settled?: () => void): void {
    const now = Date.now();
    const times = tryTimes(this.settings, now);
    const deliveries = requests.map((request) => webhookDelivery({ ...request, ...order, ...times }, now));
    this.buffer.add(deliveries, settled);
  }
}

function listenerRequests(app: App, urls: readonly string[], event: Activity, now: number): readonly WebhookRequest[] {
  const body = JSON.stringify({ app_id: app.id, time_ms: now, ...event });
  return urls.map((url) => ({ owner: app.id, url, headers: {}, body }));
}

/**
 * All events of a channel share a lane, which keeps their order. Clients without a token can fill the lanes of public
 * channels only.
 */
function laneOf(event: Activity): string {
  if (!('channel' in event)) return 'users';
  return `${isCacheChannel(event.channel) ? 'cache ' : ''}${accessOf(event.channel)}`;
}

/** Events of a channel are sent in order; client events, of which there are many, only in the order of their sender. */
function sequenceOf(event: Activity): string {
  if (event.name === 'client_event') return `${event.channel} ${event.socket_id}`;
  return 'channel' in event ? event.channel : `#user-${event.user_id}`;
}
