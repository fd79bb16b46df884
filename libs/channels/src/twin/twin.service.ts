import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { hashOf, type WebhookDelivery, webhookDelivery, WebhookSender } from 'rookery/common';
import type { App } from '../access/app.js';
import { ChannelsSettings } from '../channels.options.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { retryDelays } from '../webhooks/retry-delays.js';
import { twinUrl } from './twin-client.js';

/** Channels share so many sequences: events of one channel are sent one after the other, several in one request. */
const sequenceCount = 16;

/** What the API takes in one request (api § POST /apps/<app_id>/batch_events). */
const eventsPerRequest = 10;

/** An event as servers trigger it. */
interface TriggeredEvent {
  readonly name: string;
  readonly data: string;
  readonly channels: readonly ChannelName[];
  readonly socketId?: string | undefined;
}

/** An event of one channel, as a batch has it. */
interface ForwardedEvent {
  readonly channel: string;
  readonly name: string;
  readonly data: string;
  readonly socket_id?: string;
}

/** An app's requests of a kind, in their order. */
type Sequences = Map<string, { readonly app: App; readonly events: ForwardedEvent[] }>;

/** What gathers while the outbox is busy. */
interface Gathering {
  readonly sequences: Sequences;
  readonly kept: Promise<void>;
}

/**
 * Tells the twins of apps what servers trigger here. What is to be told waits in the outbox of webhooks, is tried again
 * as long as webhooks are, and what is given up is a dead letter of the app, as they are.
 */
@Injectable()
export class TwinService {
  private gathering?: Gathering | undefined;
  private underWay: Promise<unknown> = Promise.resolve();
  private readonly retryDelaysMs: readonly number[];

  constructor(
    private readonly sender: WebhookSender,
    private readonly settings: ChannelsSettings,
  ) {
    const { retryMs, timeoutMs } = settings.webhooks;
    this.retryDelaysMs = retryDelays(retryMs - timeoutMs);
  }

  /** Answers when the outbox has them: whatever happens to this process, they are sent. */
  forward(app: App, events: readonly TriggeredEvent[]): Promise<void> {
    const gathering = (this.gathering ??= this.gather());
    for (const { name, data, socketId, channels } of events)
      for (const channel of channels) {
        const event = { channel: channel.name, name, data, ...(socketId !== undefined && { socket_id: socketId }) };
        add(gathering.sequences, app, event);
      }
    return gathering.kept;
  }

  /** Closes the connections of a user there too. */
  async terminate(app: App, userId: string): Promise<void> {
    await this.sender.send([
      this.delivery(app, `users/${encodeURIComponent(userId)}/terminate_connections`, '{}', 'users'),
    ]);
  }

  /** One `add` to the outbox at a time, so that the order stays; what comes meanwhile shares the next one. */
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
    const { timeoutMs, retryMs } = this.settings.webhooks;
    const { retryDelaysMs } = this;
    const now = Date.now();
    const id = randomUUID();
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': id };
    const expiresAt = now + Math.max(retryMs, timeoutMs);
    const request = {
      id,
      owner: app.id,
      url: twinUrl(tail),
      headers,
      body,
      sequence,
      timeoutMs,
      retryDelaysMs,
      expiresAt,
    };
    // All of an app's are one endpoint, whatever they ask for.
    return { ...webhookDelivery(request, now), endpoint: `${app.id} ${twinUrl('')}` };
  }
}

function add(sequences: Sequences, app: App, event: ForwardedEvent): void {
  const sequence = `${app.id} ${hashOf(event.channel) % sequenceCount}`;
  const found = sequences.get(sequence);
  if (found) found.events.push(event);
  else sequences.set(sequence, { app, events: [event] });
}
