import { Injectable, Logger } from '@nestjs/common';
import {
  type DeadLetter,
  type DeadLetterLimits,
  DropReport,
  type FreshTries,
  placeOf,
  type WebhookClaim,
  type WebhookDelivery,
  WebhookOutbox,
} from 'rookery/common';
import { RedisConnection } from '../connection/redis.connection.js';
import * as scripts from './scripts.js';

type Claimed = readonly [delivery: string, dueAt: string, delays: string, expiresAt?: string | null];

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
      delivery.owner,
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
    return found.map(([delivery, dueAt, delays, expiresAt]) => ({
      ...(JSON.parse(delivery) as WebhookDelivery), // Written by `add`.
      dueAt: Number(dueAt),
      retryDelaysMs: JSON.parse(delays) as readonly number[],
      ...(expiresAt && { expiresAt: Number(expiresAt) }),
    }));
  }

  async done(id: string, claimId: string): Promise<void> {
    await this.redis.insist(scripts.done, [this.base], [id, claimId]);
  }

  async retry(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): Promise<void> {
    await this.redis.insist(scripts.retry, [this.base], [id, claimId, dueAt, JSON.stringify(retryDelaysMs)]);
  }

  async bury(
    id: string,
    claimId: string,
    { diedAt, reason }: Omit<DeadLetter, 'delivery'>,
    { most, keepMs }: DeadLetterLimits,
  ): Promise<void> {
    const oldest = placeOf(diedAt - keepMs);
    const args = [id, claimId, placeOf(diedAt, id), diedAt, reason, most, oldest, Math.ceil(keepMs / 1000)];
    await this.redis.insist(scripts.bury, [this.base], args);
  }

  async deadLetters(owner: string, after: string, limit: number): Promise<readonly DeadLetter[]> {
    const found = (await this.redis.run(scripts.deadLetters, [this.base], [owner, after, limit])) as readonly string[];
    return found.map((text) => {
      const { delivery, diedAt, reason } = JSON.parse(text) as Record<'delivery' | 'diedAt' | 'reason', string>;
      return { delivery: JSON.parse(delivery) as WebhookDelivery, diedAt: Number(diedAt), reason };
    });
  }

  async resend(
    owner: string,
    ids: readonly string[],
    { dueAt, retryDelaysMs, expiresAt }: FreshTries,
  ): Promise<number> {
    const args = [owner, dueAt, JSON.stringify(retryDelaysMs), expiresAt, ...ids];
    // Run once: a repeat would find the letters gone, and say that there were none.
    return (await this.redis.run(scripts.resend, [this.base], args)) as number;
  }
}
