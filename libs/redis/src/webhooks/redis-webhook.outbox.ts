import { Injectable } from '@nestjs/common';
import {
  buriedAtOnce,
  type DeadLetter,
  type DeadLetterLimits,
  type FreshTries,
  placeOf,
  type WebhookBacklog,
  type WebhookClaim,
  type WebhookDelivery,
  WebhookOutbox,
} from 'rookery/common';
import { RedisConnection } from '../connection/redis.connection.js';
import * as scripts from './scripts.js';

type Claimed = readonly [delivery: string, dueAt: string, delays: string, expiresAt?: string | null];

/**
 * The webhooks of Channels in Redis: when a process dies, another delivers its remaining ones. Webhooks that must
 * survive the loss of Redis belong in a database: use TypeOrmWebhookOutbox.
 */
@Injectable()
export class RedisWebhookOutbox extends WebhookOutbox {
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
    await this.redis.insist(scripts.add, [this.base], args);
    return { dropped: 0 };
  }

  async claim({ id, now, limit, perEndpoint, busy, leaseMs }: WebhookClaim): Promise<readonly WebhookDelivery[]> {
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
    death: Omit<DeadLetter, 'delivery'>,
    limits: DeadLetterLimits,
  ): Promise<void> {
    await this.redis.insist(scripts.bury, [this.base], [...burial(death, limits), id, claimId]);
  }

  async backlog(now: number): Promise<WebhookBacklog> {
    const [webhooks, dueAt] = (await this.redis.run(scripts.backlog, [this.base], [now])) as [number, string?];
    return { webhooks, ...(dueAt && { oldestDueAt: Number(dueAt) }) };
  }

  async buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): Promise<number> {
    const args = [...burial(death, limits), most, buriedAtOnce];
    return (await this.redis.run(scripts.buryBeyond, [this.base], args)) as number;
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
    // Not repeated: a second run would find the letters gone, and report none.
    return (await this.redis.run(scripts.resend, [this.base], args)) as number;
  }
}

const burial = ({ diedAt, reason }: Omit<DeadLetter, 'delivery'>, { most, keepMs }: DeadLetterLimits) => [
  placeOf(diedAt),
  diedAt,
  reason,
  most,
  placeOf(diedAt - keepMs),
  Math.ceil(keepMs / 1000),
];
