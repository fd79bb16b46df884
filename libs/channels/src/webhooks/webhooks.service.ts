import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Listeners, webhookDelivery, WebhookHandOver, type WebhookRequest, WebhookSender } from '#common';
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
import { signedRequests } from './signed-webhook.js';
import { WebhookBatches } from './webhook-batches.js';
import type { WebhookSettings } from '../channels.options.js';

/** How many cache misses are remembered. */
const limit = 100_000;

/** The receivers of an event. */
interface Audience {
  readonly webhooks: readonly AppWebhook[];
  /** The URLs of the host's listeners. */
  readonly listeners: readonly string[];
}

type CacheMiss = PromptActivity & { readonly name: 'cache_miss' | 'channel_occupied' };

/** Answers a function to call when some of the event's webhooks are stored or lost. */
type Settles = () => () => void;

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
      this.queue(signedRequests(app, [webhook], eventsJson, Date.now()), 'batches', () =>
        settled.forEach((call) => call()),
      ),
    );
  }

  /** Never throws or waits; costs nothing when neither a webhook of the app nor a listener wants the event. */
  emit(app: App, event: PromptActivity): void {
    const audience = this.audienceOf(app, event.name, event);
    if (!audience) return;
    if (event.name === 'cache_miss') this.missed(app, event, audience);
    else this.tell(app, event, audience);
  }

  /** Sends the event after a delay, unless it no longer applies then; or its opposite, if that becomes true meanwhile. */
  hold(app: App, event: HoldableActivity, disappearance: Disappearance): void {
    if (this.audienceOf(app, event.name, event) ?? this.audienceOf(app, opposites[event.name], event))
      this.held.add({ app, event, ...disappearance });
  }

  /** Passes held and collected events to the sender, which has its own time to finish. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.held.close();
    this.batches.close();
    this.cacheMisses.close();
    this.handOver.close();
  }

  /** Several subscribers that miss an empty cache at the same time cause one event. */
  private missed(app: App, event: CacheMiss, audience: Audience): void {
    const key = `${app.id.length} ${app.id} ${event.channel}`;
    if (this.cacheMisses.get(key)) return;
    this.cacheMisses.add(key, true);
    const tell = (isFirst: boolean): void => {
      if (isFirst) this.tell(app, event, audience);
    };
    const isFirst = this.once.isFirst(`cache_miss ${key}`, this.settings.cacheMissMs);
    if (!(isFirst instanceof Promise)) return tell(isFirst);
    isFirst.then(tell, (error: unknown) =>
      this.logger.error(`cache_miss of ${event.channel} (app ${app.id}) was not sent`, error),
    );
  }

  private audienceOf(app: App, name: Activity['name'], event: ActivitySubject): Audience | undefined {
    const webhooks = interestedWebhooks(app, name, event);
    const listeners = this.listeners.urls(name, subjectOf(name, event));
    return webhooks.length === 0 && listeners.length === 0 ? undefined : { webhooks, listeners };
  }

  private tell(app: App, event: Activity, { webhooks, listeners }: Audience, settles?: Settles): void {
    const sequence = sequenceOf(event);
    const now = Date.now();
    if (listeners.length > 0) this.queue(listenerRequests(app, listeners, event, now), sequence, settles?.());
    if (webhooks.length === 0) return;
    const json = JSON.stringify(event);
    if (app.batchWebhooks) for (const webhook of webhooks) this.batches.add(app, webhook, json, settles?.());
    else this.queue(signedRequests(app, webhooks, [json], now), sequence, settles?.());
  }

  /** Sends the event to the webhooks in the app's current settings. Resolves when they are stored or lost. */
  private async tellLater(app: App, event: Activity): Promise<void> {
    const latest = this.apps.latest(app);
    const pending: Promise<void>[] = [];
    const settles: Settles = () => {
      let settled = (): void => {};
      pending.push(new Promise((resolve) => (settled = resolve)));
      return settled;
    };
    const audience = latest && this.audienceOf(latest, event.name, event);
    if (audience) this.tell(latest, event, audience, settles);
    await Promise.all(pending);
  }

  private tellReturn(app: App, { name, ...subject }: HoldableActivity): void {
    const latest = this.apps.latest(app);
    // The subject of an event is that of its opposite.
    if (latest) this.emit(latest, { name: opposites[name], ...subject } as PromptActivity);
  }

  private queue(requests: readonly WebhookRequest[], sequence: string, settled?: () => void): void {
    const now = Date.now();
    const times = tryTimes(this.settings, now);
    const deliveries = requests.map((request) => webhookDelivery({ ...request, sequence, ...times }, now));
    this.handOver.add(deliveries, settled);
  }
}

function listenerRequests(app: App, urls: readonly string[], event: Activity, now: number): readonly WebhookRequest[] {
  const body = JSON.stringify({ app_id: app.id, time_ms: now, ...event });
  return urls.map((url) => ({ owner: app.id, url, headers: {}, body }));
}

/** Events of a channel are sent in order; client events, of which there are many, only in the order of their sender. */
function sequenceOf(event: Activity): string {
  if (event.name === 'client_event') return `${event.channel} ${event.socket_id}`;
  return 'channel' in event ? event.channel : `#user-${event.user_id}`;
}
