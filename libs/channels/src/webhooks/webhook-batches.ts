import type { App, AppWebhook } from '../access/app.js';
import { DelayQueue } from './delay-queue.js';

/** The events for one endpoint of one app that travel in one body. */
export interface WebhookBatch {
  readonly app: App;
  readonly webhook: AppWebhook;
  readonly eventsJson: string[];
  characters: number;
}

/** Batches that are open at once, and the characters of JSON after which one is sent early. */
const limit = 10_000;
const mostCharacters = 256 * 1024;

/** Collects the events of apps that want them batched, apart for each endpoint. */
export class WebhookBatches {
  private readonly open: DelayQueue<WebhookBatch>;

  constructor(
    batchMs: number,
    private readonly mostEvents: number,
    private readonly send: (batch: WebhookBatch) => void,
  ) {
    this.open = new DelayQueue(batchMs, limit, send);
  }

  add(app: App, webhook: AppWebhook, eventJson: string): void {
    const key = keyOf(app, webhook);
    const batch = this.open.get(key);
    if (!batch) return this.open.add(key, { app, webhook, eventsJson: [eventJson], characters: eventJson.length });
    batch.eventsJson.push(eventJson);
    batch.characters += eventJson.length;
    if (batch.eventsJson.length < this.mostEvents && batch.characters < mostCharacters) return;
    this.open.take(key);
    this.send(batch);
  }

  /** Sends what is collected, and collects nothing any more. */
  close(): void {
    this.open.close();
  }
}

/**
 * By what they are, not by identity: a repository may make the same app anew for each connection, and two apps may share
 * one webhook object.
 */
function keyOf({ id, key, secret }: App, webhook: AppWebhook): string {
  return JSON.stringify([id, key, secret, webhook]);
}
