import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Listeners, WebhookSender } from '#common';
import type { App } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { Throttle } from '../throttle.js';
import { audienceOf } from './audience.js';
import { CacheMisses } from './cache-misses.js';
import { type Activity, type HoldableActivity, opposites, type PromptActivity } from './channel-events.js';
import { type Disappearance, HeldEvents } from './held-events.js';
import { WebhookQueue } from './webhook-queue.js';

/** Passes events on channels to the webhooks of their apps (channels-wire §7), and to the host's listeners. */
@Injectable()
export class WebhooksService implements BeforeApplicationShutdown {
  private readonly held: HeldEvents;
  private readonly cacheMisses: CacheMisses;
  private readonly queue: WebhookQueue;

  constructor(
    sender: WebhookSender,
    throttle: Throttle,
    @Inject(Listeners) private readonly listeners: Pick<Listeners, 'urls'>,
    @Inject(Apps) private readonly apps: Pick<Apps, 'latest'>,
    { webhooks }: ChannelsSettings,
  ) {
    const logger = new Logger(WebhooksService.name);
    this.queue = new WebhookQueue(sender, webhooks, logger);
    this.held = new HeldEvents(
      webhooks.holdMs,
      (app, event) => this.sendHeld(app, event),
      (app, event) => this.sendReturn(app, event),
    );
    this.cacheMisses = new CacheMisses(webhooks.cacheMissMs, throttle, logger);
  }

  /** Never throws or waits; costs nothing when neither a webhook of the app nor a listener wants the event. */
  emit(app: App, event: PromptActivity): void {
    const audience = audienceOf(app, event.name, event, this.listeners);
    if (!audience) return;
    const enqueue = (): void => this.queue.enqueue(app, event, audience);
    if (event.name === 'cache_miss') this.cacheMisses.once(app, event.channel, enqueue);
    else enqueue();
  }

  /** Sends the event after a delay, unless it no longer applies then; or its opposite, if that becomes true meanwhile. */
  hold(app: App, event: HoldableActivity, disappearance: Disappearance): void {
    const isWanted = (name: Activity['name']): boolean => audienceOf(app, name, event, this.listeners) !== undefined;
    if (isWanted(event.name) || isWanted(opposites[event.name])) this.held.add({ app, event, ...disappearance });
  }

  /** Passes held and collected events to the sender, which has its own time to finish. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.held.close();
    this.queue.close();
    this.cacheMisses.close();
  }

  /** Sends the event to the webhooks in the app's current settings. Resolves when they are stored or lost. */
  private async sendHeld(app: App, event: HoldableActivity): Promise<void> {
    const latest = this.apps.latest(app);
    const audience = latest && audienceOf(latest, event.name, event, this.listeners);
    if (audience) await this.queue.enqueueAndWait(latest, event, audience);
  }

  private sendReturn(app: App, { name, ...subject }: HoldableActivity): void {
    const latest = this.apps.latest(app);
    // The subject of an event is that of its opposite.
    if (latest) this.emit(latest, { name: opposites[name], ...subject } as PromptActivity);
  }
}
