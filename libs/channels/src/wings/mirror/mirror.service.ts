import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { hashOf } from '#common';
import { type WebhookDelivery, webhookDelivery, WebhookSender } from '#webhooks';
import type { App } from '../../app/app.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { TriggeredEvent } from '../../events/trigger-step.js';
import { tryTimes } from '../../webhooks/try-times.js';
import { mirrorUrl } from './mirror-client.js';

/** How many sequences the channels share: events of one channel are sent in order, several in one request. */
const sequenceCount = 16;

/** The API's limit for one request (api § POST /apps/<app_id>/batch_events). */
const eventsPerRequest = 10;

/** An event for one channel, as an item of a batch. */
interface ForwardedEvent {
  readonly channel: string;
  readonly name: string;
  readonly data: string;
  readonly socket_id?: string;
}

/** An app's requests of one kind, in order. */
type Sequences = Map<string, { readonly app: App; readonly events: ForwardedEvent[] }>;

/** Collects requests while the outbox is busy. */
interface Gathering {
  readonly sequences: Sequences;
  readonly kept: Promise<void>;
}

/**
 * Forwards what servers trigger here to the mirrors of apps. Requests wait in the outbox of webhooks, are retried like
 * webhooks, and become dead letters of the app when they are given up.
 */
@Injectable()
export class MirrorService {
  private gathering?: Gathering | undefined;
  private underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sender: WebhookSender,
    private readonly settings: ChannelsSettings,
  ) {}

  /** Resolves when the outbox has stored the events: from then on they survive a crash of this process. */
  forward(app: App, events: readonly TriggeredEvent[]): Promise<void> {
    const gathering = (this.gathering ??= this.gather());
    for (const { name, data, socketId, channels } of events)
      for (const channel of channels) {
        const event = { channel: channel.name, name, data, ...(socketId !== undefined && { socket_id: socketId }) };
        add(gathering.sequences, app, event);
      }
    return gathering.kept;
  }

  /** Closes the user's connections at the mirror too. */
  async terminate(app: App, userId: string): Promise<void> {
    await this.sender.send([
      this.delivery(app, `users/${encodeURIComponent(userId)}/terminate_connections`, '{}', 'users'),
    ]);
  }

  /** One `add` to the outbox at a time, to keep the order; requests that arrive meanwhile share the next one. */
  private gather(): Gathering {
    const sequences: Sequences = new Map();
    const kept = this.underWay.then(async () => {
      this.gathering = undefined;
      await this.sender.send([...this.deliveries(sequences)]);
    });
    this.underWay = kept.catch(() => undefined);
    return { sequences, kept };
  }

  private *deliveries(sequences: Sequences): Iterable<WebhookDelivery> {
    for (const [sequence, { app, events }] of sequences)
      for (let i = 0; i < events.length; i += eventsPerRequest) {
        const body = JSON.stringify({ batch: events.slice(i, i + eventsPerRequest) });
        yield this.delivery(app, 'batch_events', body, sequence);
      }
  }

  private delivery(app: App, tail: string, body: string, sequence: string): WebhookDelivery {
    const now = Date.now();
    const id = randomUUID();
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': id };
    const times = tryTimes(this.settings.webhooks, now);
    const request = { id, owner: app.id, url: mirrorUrl(tail), headers, body, sequence, ...times };
    // All requests of an app share one endpoint, whatever their path.
    return { ...webhookDelivery(request, now), endpoint: `${app.id} ${mirrorUrl('')}` };
  }
}

function add(sequences: Sequences, app: App, event: ForwardedEvent): void {
  const sequence = `${app.id} ${hashOf(event.channel) % sequenceCount}`;
  const found = sequences.get(sequence);
  if (found) found.events.push(event);
  else sequences.set(sequence, { app, events: [event] });
}
