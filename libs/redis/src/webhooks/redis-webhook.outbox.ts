import { Injectable, Logger } from '@nestjs/common';
import { DropReport, type WebhookClaim, type WebhookDelivery, WebhookOutbox } from 'rookery/common';
import { RedisConnection } from '../connection/redis.connection.js';
import * as scripts from './scripts.js';

type Claimed = readonly [delivery: string, dueAt: string, delays: string];

/** Deliveries that may wait; beyond it, the endpoint with the longest queue loses its earliest. */
const mostDeliveries = 100_000;

/**
 * The webhooks of Channels in Redis: those that a process could not deliver before it died are delivered by another. What
 * must also survive the loss of Redis belongs into a database, by TypeOrmWebhookOutbox.
 */
@Injectable()
export class RedisWebhookOutbox extends WebhookOutbox {
  private readonly drops = new DropReport(new Logger(RedisWebhookOutbox.name));
  private readonly base: string;

  constructor(private readonly redis: RedisConnection) {
    super();
    this.base = redis.keys.ofNodes('webhooks:');
  }

  async add(deliveries: readonly WebhookDelivery[]): Promise<{ readonly dropped: number }> {
    const args = deliveries.flatMap((delivery) => [
      delivery.id,
      delivery.endpoint,
      delivery.dueAt,
      JSON.stringify(delivery.retryDelaysMs),
      JSON.stringify(delivery),
    ]);
    const dropped = (await this.redis.insist(scripts.add, [this.base], [mostDeliveries, ...args])) as string[];
    for (const id of dropped) this.drops.count(Date.now(), id);
    return { dropped: dropped.length };
  }

  async claim({ id, now, limit, perEndpoint, busy, leaseMs }: WebhookClaim): Promise<readonly WebhookDelivery[]> {
    this.drops.tell(now);
    const args = [id, now, limit, perEndpoint, leaseMs, ...busy];
    const found = (await this.redis.run(scripts.claim, [this.base], args)) as readonly Claimed[];
    return found.map(([delivery, dueAt, delays]) => ({
      ...(JSON.parse(delivery) as WebhookDelivery), // Written by `add`.
      dueAt: Number(dueAt),
      retryDelaysMs: JSON.parse(delays) as readonly number[],
    }));
  }

  async done(id: string, claimId: string): Promise<void> {
    await this.redis.insist(scripts.done, [this.base], [id, claimId]);
  }

  async retry(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): Promise<void> {
    await this.redis.insist(scripts.retry, [this.base], [id, claimId, dueAt, JSON.stringify(retryDelaysMs)]);
  }
}
