import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Listeners, WebhookSender } from '#webhooks';
import type { App } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { Throttle } from '../throttle.js';
import { type ActivityRecipients, recipientsOf } from './activity-recipients.js';
import { Announcements } from './announcements.js';
import { CacheMisses } from './cache-misses.js';
import {
  type Activity,
  type Appearance,
  type HoldableActivity,
  isAppearance,
  opposites,
  type PromptActivity,
} from './channel-events.js';
import { HeldAppearances } from './held-appearances.js';
import { type Disappearance, HeldEvents } from './held-events.js';
import { WebhookQueue } from './webhook-queue.js';

/** Passes events on channels to the webhooks of their apps (channels-wire §7), and to the host's listeners. */
@Injectable()
export class WebhooksService implements BeforeApplicationShutdown {
  private readonly held: HeldEvents;
  private readonly appearances: HeldAppearances;
  private readonly cacheMisses: CacheMisses;
  private readonly queue: WebhookQueue;

  constructor(
    sender: WebhookSender,
    throttle: Throttle,
    @Inject(Listeners) private readonly listeners: Pick<Listeners, 'urls'>,
    @Inject(Apps) private readonly apps: Pick<Apps, 'latest'>,
    { webhooks }: ChannelsSettings,
    private readonly announcements: Announcements,
  ) {
    const logger = new Logger(WebhooksService.name);
    this.queue = new WebhookQueue(sender, webhooks, logger);
    this.held = new HeldEvents(
      webhooks.holdMs,
      (app, event) => this.sendHeld(app, event),
      (app, event) => this.sendReturn(app, event),
    );
    this.appearances = new HeldAppearances(
      webhooks,
      (app, event) => this.send(app, event),
      (app) => this.apps.latest(app),
    );
    this.cacheMisses = new CacheMisses(webhooks.cacheMissMs, throttle, logger);
  }

  /**
   * Never throws or waits; costs nothing when neither a webhook of the app nor a listener wants the event.
   * @param version of the change that the event reports, if storage may answer it again
   * @param userInfoJson of the member that was added
   */
  emit(app: App, event: PromptActivity, version?: number, userInfoJson?: string): void {
    if (isAppearance(event)) {
      if (!this.isEitherWanted(app, event)) return;
      this.announcements.describe(event, userInfoJson);
      return this.appearances.add(app, event, version);
    }
    const recipients = recipientsOf(app, event.name, event, this.listeners);
    if (!recipients) return;
    const enqueue = (): void => {
      if (!this.appearances.follow(app, event)) this.queue.enqueue(app, event, recipients);
    };
    if (event.name === 'cache_miss') this.cacheMisses.once(app, event.channel, enqueue);
    else enqueue();
  }

  /**
   * Sends the event after a delay, unless it no longer applies then; or its opposite, if that becomes true meanwhile.
   * Sends neither if the opposite before it was not sent yet.
   */
  hold(app: App, event: HoldableActivity, disappearance: Disappearance): void {
    const held = { app, event, ...disappearance };
    if (this.appearances.cancel(app, event)) this.held.drop(held);
    else if (this.isEitherWanted(app, event)) this.held.add(held);
  }

  /** Resolves when all events until now are with the sender, once nothing is held any more. */
  async settled(): Promise<void> {
    await this.held.close();
    await this.queue.stored();
  }

  /** Passes held and collected events to the sender, which has its own time to finish. */
  async beforeApplicationShutdown(): Promise<void> {
    this.appearances.close();
    await this.held.close();
    this.queue.close();
    this.cacheMisses.close();
  }

  /** Whether a webhook or listener wants the event or its opposite. */
  private isEitherWanted(app: App, event: Appearance | HoldableActivity): boolean {
    const isWanted = (name: Activity['name']): boolean => recipientsOf(app, name, event, this.listeners) !== undefined;
    return isWanted(event.name) || isWanted(opposites[event.name]);
  }

  private send(app: App, event: PromptActivity): void {
    const recipients = recipientsOf(app, event.name, event, this.listeners);
    if (isAppearance(event) && this.announcements.areKept) void this.sendAppearance(app, event, recipients);
    else if (recipients) this.queue.enqueue(app, event, recipients);
  }

  private async sendAppearance(app: App, event: Appearance, recipients?: ActivityRecipients): Promise<void> {
    if (recipients) await this.queue.enqueueAndWait(app, event, recipients);
    this.announcements.note(app, event, true);
  }

  /** Sends an event that was held to the webhooks in the app's current settings. Resolves when they are stored or lost. */
  private async sendHeld(app: App, event: HoldableActivity): Promise<void> {
    const latest = this.apps.latest(app);
    const recipients = latest && recipientsOf(latest, event.name, event, this.listeners);
    if (recipients) await this.queue.enqueueAndWait(latest, event, recipients);
    this.announcements.note(app, event, false);
  }

  private sendReturn(app: App, event: HoldableActivity): void {
    const latest = this.apps.latest(app);
    // The subject of an event is that of its opposite, and the connection is another.
    const back = { ...event, name: opposites[event.name], socket_id: undefined };
    if (latest) this.emit(latest, back as PromptActivity);
  }
}
