import type { App, AppWebhook } from '../app/app.js';
import { DelayQueue } from './delay-queue.js';

/** The events for one endpoint of one app that are sent in one body. */
export interface WebhookBatch {
  readonly app: App;
  readonly webhook: AppWebhook;
  readonly eventsJson: string[];
  characters: number;
  /** To be called when the batch is stored or lost. */
  readonly settled: (() => void)[];
}

/** How many batches are open at a time, and the characters of JSON after which one is sent early. */
const limit = 10_000;
const maxCharacters = 256 * 1024;

/** Collects events for apps that want them batched, separately for each endpoint. */
export class WebhookBatches {
  private readonly open: DelayQueue<WebhookBatch>;

  constructor(
    batchMs: number,
    private readonly maxEvents: number,
    private readonly send: (batch: WebhookBatch) => void,
  ) {
    this.open = new DelayQueue(batchMs, limit, send);
  }

  add(app: App, webhook: AppWebhook, eventJson: string, settled?: () => void): void {
    const key = keyOf(app, webhook);
    const batch = this.open.get(key);
    if (!batch) {
      const characters = eventJson.length;
      return this.open.add(key, {
        app,
        webhook,
        eventsJson: [eventJson],
        characters,
        settled: settled ? [settled] : [],
      });
    }
    batch.eventsJson.push(eventJson);
    if (settled) batch.settled.push(settled);
    batch.characters += eventJson.length;
    if (batch.eventsJson.length < this.maxEvents && batch.characters < maxCharacters) return;
    this.open.take(key);
    this.send(batch);
  }

  /** Sends collected events, and stops collecting. */
  close(): void {
    this.open.close();
  }
}

/**
 * Compared by value, not by identity: a repository may create the same app anew for each connection, and two apps may
 * share a webhook object.
 */
function keyOf({ id, key, secret }: App, webhook: AppWebhook): string {
  return JSON.stringify([id, key, secret, webhook]);
}
