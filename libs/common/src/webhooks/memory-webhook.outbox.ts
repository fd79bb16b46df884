import { Logger, Optional } from '@nestjs/common';
import { loggedUrl } from '../logged-url.js';
import type { DeadLetter, DeadLetterLimits, FreshTries } from './dead-letter.js';
import { DeadLetterQueue } from './dead-letter.queue.js';
import { DropReport } from './drop-report.js';
import { EndpointQueues, type Waiting } from './endpoint-queues.js';
import type { WebhookDelivery } from './webhook-delivery.js';
import { buriedAtOnce, type WebhookBacklog, type WebhookClaim, WebhookOutbox } from './webhook.outbox.js';

/** The bound of a {@link MemoryWebhookOutbox}. */
export interface MemoryWebhookOutboxOptions {
  /** Bytes of bodies that may wait or be dead letters, each counted with 1 KB on top. @default 67108864 (64 MB) */
  readonly maxBytes?: number;
}

/**
 * In memory: for one process; what is not delivered is lost when it stops. When it is full, the oldest dead letters go,
 * and then the endpoint with the longest queue loses its earliest deliveries, and the log says so.
 */
export class MemoryWebhookOutbox extends WebhookOutbox {
  private readonly queues = new EndpointQueues();
  private readonly dead = new DeadLetterQueue();
  private readonly claimed = new Map<string, Waiting & { readonly claimId: string; readonly until: number }>();
  /** The ids of all that wait or are claimed. */
  private readonly known = new Set<string>();
  private readonly logger = new Logger(MemoryWebhookOutbox.name);
  private readonly drops = new DropReport(this.logger);
  private readonly maxBytes: number;
  private added = 0;
  /** Dropped since the last answer of `add`: those that come back from a claim may be too many as well. */
  private dropped = 0;

  constructor(@Optional() { maxBytes = 64 * 1024 * 1024 }: MemoryWebhookOutboxOptions = {}) {
    super();
    if (!(maxBytes > 0)) throw new Error(`MemoryWebhookOutbox: maxBytes must be above 0, got ${String(maxBytes)}`);
    this.maxBytes = maxBytes;
  }

  add(deliveries: readonly WebhookDelivery[]): { readonly dropped: number } {
    for (const delivery of deliveries) {
      if (this.known.has(delivery.id)) continue;
      this.known.add(delivery.id);
      this.keep({ delivery, order: ++this.added });
    }
    const { dropped } = this;
    this.dropped = 0;
    return { dropped };
  }

  claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    this.drops.tell();
    this.endLeases(claim.now);
    const found = this.queues.takeDue(claim);
    for (const waiting of found)
      this.claimed.set(waiting.delivery.id, { ...waiting, claimId: claim.id, until: claim.now + claim.leaseMs });
    return found.map(({ delivery }) => delivery);
  }

  /** A holder that is late, its lease over, finds nothing: the delivery waits for its next holder, or has one. */
  done(id: string, claimId: string): void {
    if (this.claimed.get(id)?.claimId !== claimId) return;
    this.claimed.delete(id);
    this.known.delete(id);
  }

  retry(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): void {
    const claimed = this.claimed.get(id);
    if (claimed?.claimId !== claimId) return;
    this.claimed.delete(id);
    this.keep({ delivery: { ...claimed.delivery, dueAt, retryDelaysMs }, order: claimed.order });
  }

  bury(id: string, claimId: string, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): void {
    const claimed = this.claimed.get(id);
    if (claimed?.claimId !== claimId) return;
    this.done(id, claimId);
    this.dead.add({ delivery: claimed.delivery, ...death }, limits);
    this.makeRoom();
  }

  deadLetters(owner: string, after: string, limit: number): readonly DeadLetter[] {
    return this.dead.page(owner, after, limit);
  }

  backlog(now: number): WebhookBacklog {
    this.endLeases(now);
    const oldestDueAt = this.queues.earliestDueAt();
    const isDue = oldestDueAt !== undefined && oldestDueAt <= now;
    return { webhooks: this.known.size, ...(isDue && { oldestDueAt }) };
  }

  buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    this.endLeases(death.diedAt);
    const buried = this.queues.takeFromFullest(Math.min(this.known.size - most, buriedAtOnce));
    for (const delivery of buried) {
      this.known.delete(delivery.id);
      this.dead.add({ delivery, ...death }, limits);
    }
    this.makeRoom();
    return buried.length;
  }

  resend(owner: string, ids: readonly string[], tries: FreshTries): number {
    const letters = this.dead.takeAll(owner, ids);
    this.add(letters.map(({ delivery }) => ({ ...delivery, ...tries })));
    return letters.length;
  }

  override close(): void {
    if (this.known.size > 0) this.logger.warn(`${this.known.size} webhooks were not delivered and are lost`);
  }

  private keep(waiting: Waiting): void {
    this.queues.push(waiting);
    this.makeRoom();
  }

  private makeRoom(): void {
    while (this.queues.bytes + this.dead.bytes > this.maxBytes)
      if (!this.dead.takeOldest()) this.drop(this.queues.takeFromLongest());
  }

  private drop({ id, owner, url }: WebhookDelivery): void {
    this.known.delete(id);
    this.dropped += 1;
    this.drops.count(`dropped, last ${id} of ${owner} to ${loggedUrl(url)}`);
  }

  private endLeases(now: number): void {
    for (const [id, claimed] of this.claimed) {
      if (claimed.until > now) continue;
      this.claimed.delete(id);
      this.keep(claimed);
    }
  }
}
