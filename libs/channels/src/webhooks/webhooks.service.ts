import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Listeners, type WebhookDelivery, webhookDelivery, WebhookHandOver, WebhookSender } from '#common';
import type { App, AppWebhook } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { Throttle } from '../throttle.js';
import {
  type ActivitySubject,
  type Activity,
  type HoldableActivity,
  opposites,
  type PromptActivity,
  subjectOf,
} from './channel-events.js';
import { DelayQueue } from './delay-queue.js';
import { type Disappearance, HeldEvents } from './held-events.js';
import { interestedWebhooks } from './interested-webhooks.js';
import { tryTimes } from './try-times.js';
import { type SignedWebhook, signWebhook, webhookHeaders } from './signed-webhook.js';
import { WebhookBatches } from './webhook-batches.js';
import type { WebhookSettings } from '../channels.options.js';

/** How many cache misses are remembered. */
const limit = 100_000;

/** Passes events on channels to the webhooks of their apps (channels-wire §7), and to the host's listeners. */
@Injectable()
export class WebhooksService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhooksService.name);
  private readonly settings: WebhookSettings;
  private readonly held: HeldEvents;
  private readonly cacheMisses: DelayQueue<true>;
  private readonly batches: WebhookBatches;
  private readonly handOver: WebhookHandOver;

  constructor(
    sender: WebhookSender,
    private readonly once: Throttle,
    @Inject(Listeners) private readonly listeners: Pick<Listeners, 'urls'>,
    @Inject(Apps) private readonly apps: Pick<Apps, 'latest'>,
    { webhooks }: ChannelsSettings,
  ) {
    this.settings = webhooks;
    this.handOver = new WebhookHandOver(sender, this.logger);
    this.held = new HeldEvents(
      webhooks.holdMs,
      (app, event) => this.tellLater(app, event),
      (app, event) => this.tellReturn(app, event),
    );
    this.cacheMisses = new DelayQueue(webhooks.cacheMissMs, limit, () => {});
    this.batches = new WebhookBatches(webhooks.batchMs, webhooks.batchEvents, ({ app, webhook, eventsJson, settled }) =>
      this.deliver(app, webhook, signWebhook(app, eventsJson, Date.now()), 'batches', () =>
        settled.forEach((call) => call()),
      ),
    );
  }

  /** Never throws or waits; costs nothing when neither a webhook of the app nor a listener wants the event. */
  emit(app: App, event: PromptActivity): void {
    if (!this.isOfInterest(app, event)) return;
    if (event.name === 'cache_miss') this.missed(app, event);
    else this.tell(app, event);
  }

  /** Sends the event after a delay, unless it no longer applies then. */
  hold(app: App, event: HoldableActivity, disappearance: Disappearance): void {
    if (this.isOfInterest(app, event)) this.held.add({ app, event, ...disappearance });
  }

  /** Passes held and collected events to the sender, which has its own time to finish. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.held.close();
    this.batches.close();
    this.cacheMisses.close();
    this.handOver.close();
  }

  /** Several subscribers that miss an empty cache at the same time cause one event. */
  private missed(app: App, event: PromptActivity & { readonly name: 'cache_miss' | 'channel_occupied' }): void {
    const key = `${app.id.length} ${app.id} ${event.channel}`;
    if (this.cacheMisses.get(key)) return;
    this.cacheMisses.add(key, true);
    const isFirst = this.once.isFirst(`cache_miss ${key}`, this.settings.cacheMissMs);
    if (isFirst === true) this.tell(app, event);
    else if (isFirst instanceof Promise)
      isFirst.then(
        (first) => first && this.tell(app, event),
        (error: unknown) => this.logger.error(`cache_miss of ${event.channel} (app ${app.id}) was not sent`, error),
      );
  }

  /** Whether an event matters: some only because they cancel their opposite. */
  private isOfInterest(app: App, event: Activity): boolean {
    const opposite = opposites[event.name];
    return this.isWanted(app, event.name, event) || (opposite !== undefined && this.isWanted(app, opposite, event));
  }

  private isWanted(app: App, name: Activity['name'], event: ActivitySubject): boolean {
    return interestedWebhooks(app, name, event).length > 0 || this.listenersTo(name, event).length > 0;
  }

  /** @param settles answers a function to call when one of the webhooks is stored or lost */
  private tell(app: App, event: Activity, settles?: () => () => void): void {
    this.tellListeners(app, event, settles);
    const webhooks = interestedWebhooks(app, event.name, event);
    if (webhooks.length === 0) return;
    const json = JSON.stringify(event);
    if (app.batchWebhooks) return webhooks.forEach((webhook) => this.batches.add(app, webhook, json, settles?.()));
    const signed = signWebhook(app, [json], Date.now());
    for (const webhook of webhooks) this.deliver(app, webhook, signed, sequenceOf(event), settles?.());
  }

  /** Sends the event to the webhooks in the app's current settings. Resolves when they are stored or lost. */
  private async tellLater(app: App, event: Activity): Promise<void> {
    const latest = this.apps.latest(app);
    const pending: Promise<void>[] = [];
    const settles = (): (() => void) => {
      let settled = (): void => {};
      pending.push(new Promise((resolve) => (settled = resolve)));
      return settled;
    };
    if (latest) this.tell(latest, event, settles);
    await Promise.all(pending);
  }

  private tellReturn(app: App, { name, ...subject }: HoldableActivity): void {
    const latest = this.apps.latest(app);
    // The subject of an event is that of its opposite.
    if (latest) this.tell(latest, { name: opposites[name], ...subject } as PromptActivity);
  }

  private listenersTo(name: Activity['name'], event: ActivitySubject): readonly string[] {
    return this.listeners.urls(name, subjectOf(name, event));
  }

  private tellListeners(app: App, event: Activity, settles?: () => () => void): void {
    const urls = this.listenersTo(event.name, event);
    if (urls.length === 0) return;
    const body = JSON.stringify({ app_id: app.id, time_ms: Date.now(), ...event });
    for (const url of urls) this.queue(app, { url, headers: {}, body, sequence: sequenceOf(event) }, settles?.());
  }

  private deliver(
    app: App,
    webhook: AppWebhook,
    { body, signature }: SignedWebhook,
    sequence: string,
    settled?: () => void,
  ): void {
    this.queue(app, { url: webhook.url, headers: webhookHeaders(app, webhook, signature), body, sequence }, settled);
  }

  private queue(
    app: App,
    request: Pick<WebhookDelivery, 'url' | 'headers' | 'body' | 'sequence'>,
    settled?: () => void,
  ): void {
    const now = Date.now();
    const delivery = webhookDelivery({ ...request, owner: app.id, ...tryTimes(this.settings, now) }, now);
    this.handOver.add([delivery], settled);
  }
}

/** Events of a channel are sent in order; client events, of which there are many, only in the order of their sender. */
function sequenceOf(event: Activity): string {
  if (event.name === 'client_event') return `${event.channel} ${event.socket_id}`;
  return 'channel' in event ? event.channel : `#user-${event.user_id}`;
}
