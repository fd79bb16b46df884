import { Injectable, Optional } from '@nestjs/common';
import {
  type DeadLetter,
  type DeadLetterLimits,
  type FreshTries,
  type WebhookClaim,
  type WebhookDelivery,
  WebhookOutbox,
} from 'rookery/common';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { keepLetter, readLetters, takeLetters } from './dead-letters.js';
import { byTurn, type FreeEndpoint, freeEndpoints, freeEndpointsOf, type Turn } from './free-endpoints.js';

interface WebhookRow extends Turn {
  readonly id: string;
  readonly delivery: string;
}

/**
 * In a database: deliveries outlive the process, several processes share them, and none is ever dropped. Two modules
 * that both keep their webhooks here need a queue each, or one sends the other's with its own settings: see `named`.
 */
@Injectable()
export class TypeOrmWebhookOutbox extends WebhookOutbox {
  private lastPosition = 0;
  private readonly letGo: () => Promise<void>;

  constructor(
    private readonly database: Database,
    @Optional() private readonly queue: string = 'webhooks',
  ) {
    super();
    this.letGo = database.keepOpen();
  }

  /** An outbox with a queue of its own: `forRoot({ webhookOutbox: TypeOrmWebhookOutbox.named('push') })`. */
  static named(queue: string) {
    return { inject: [Database], useFactory: (database: Database) => new TypeOrmWebhookOutbox(database, queue) };
  }

  async add(deliveries: readonly WebhookDelivery[]): Promise<{ readonly dropped: number }> {
    const positions = deliveries.map(() => this.nextPosition());
    await this.database.write(() => this.adding(deliveries, positions));
    return { dropped: 0 };
  }

  /** Most claims find nothing, so they look before they write. */
  async claim(claim: WebhookClaim): Promise<readonly WebhookDelivery[]> {
    // A host may close its data source before the sender has stopped: what is left then waits for another process.
    if (!this.database.dataSource.isInitialized) return [];
    const free = await this.database.read<FreeEndpoint>(freeEndpoints, freeEndpointsOf(this.queue, claim.now));
    const endpoints = free.filter(({ endpoint }) => !claim.busy.has(endpoint));
    return endpoints.length > 0 ? this.database.write(() => this.claiming(endpoints, claim)) : [];
  }

  async done(id: string, claimId: string): Promise<void> {
    await this.database.execute('DELETE FROM rookery_webhooks WHERE id = ? AND claim_id = ?', [id, claimId]);
  }

  async retry(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): Promise<void> {
    await this.database.write(() => this.retrying(id, claimId, dueAt, retryDelaysMs));
  }

  async bury(
    id: string,
    claimId: string,
    death: Omit<DeadLetter, 'delivery'>,
    limits: DeadLetterLimits,
  ): Promise<void> {
    await this.database.write(() => this.burying(id, claimId, death, limits));
  }

  deadLetters(owner: string, after: string, limit: number): Promise<readonly DeadLetter[]> {
    return readLetters(this.database, this.queue, owner, after, limit);
  }

  async resend(owner: string, ids: readonly string[], tries: FreshTries): Promise<number> {
    const positions = ids.map(() => this.nextPosition());
    return this.database.write(() => this.resending(owner, ids, tries, positions));
  }

  override async close(): Promise<void> {
    await this.letGo();
  }

  private *adding(deliveries: readonly WebhookDelivery[], positions: readonly number[]): Work<void> {
    for (const [index, delivery] of deliveries.entries()) {
      const { id, endpoint, dueAt } = delivery;
      yield* run(
        `INSERT INTO rookery_webhooks (id, queue, endpoint, free_at, position, delivery) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        [id, this.queue, endpoint, dueAt, positions[index], JSON.stringify(delivery)],
      );
    }
  }

  private *claiming(endpoints: readonly FreeEndpoint[], claim: WebhookClaim): Work<readonly WebhookDelivery[]> {
    let found: readonly WebhookRow[] = [];
    for (const endpoint of endpoints) {
      const last = found[claim.limit - 1];
      if (last && byTurn(endpoint, last) > 0) break;
      found = [...found, ...(yield* this.freeOf(endpoint, claim))].sort(byTurn).slice(0, claim.limit);
    }
    const { each, list } = this.database.dialect;
    yield* run(`UPDATE rookery_webhooks SET free_at = ?, claim_id = ? WHERE id IN (SELECT value FROM ${each})`, [
      claim.now + claim.leaseMs,
      claim.id,
      list(found.map(({ id }) => id)),
    ]);
    return found.map(deliveryOf);
  }

  private *freeOf({ endpoint }: FreeEndpoint, { now, limit, perEndpoint }: WebhookClaim): Work<readonly WebhookRow[]> {
    return yield* run<WebhookRow>(
      `SELECT id, free_at, position, delivery FROM rookery_webhooks WHERE queue = ? AND endpoint = ? AND free_at <= ?
       ORDER BY free_at, position LIMIT ? ${this.database.dialect.skipLocked}`,
      [this.queue, endpoint, now, Math.min(limit, perEndpoint)],
    );
  }

  private *retrying(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): Work<void> {
    const held = yield* this.held(id, claimId);
    if (!held) return;
    const delivery = { ...held, dueAt, retryDelaysMs };
    const changed = 'UPDATE rookery_webhooks SET free_at = ?, claim_id = NULL, delivery = ? WHERE id = ?';
    yield* run(changed, [dueAt, JSON.stringify(delivery), id]);
  }

  private *burying(
    id: string,
    claimId: string,
    death: Omit<DeadLetter, 'delivery'>,
    limits: DeadLetterLimits,
  ): Work<void> {
    const delivery = yield* this.held(id, claimId);
    if (!delivery) return;
    yield* run('DELETE FROM rookery_webhooks WHERE id = ?', [id]);
    yield* keepLetter(this.queue, { delivery, ...death }, limits);
  }

  private *resending(
    owner: string,
    ids: readonly string[],
    tries: FreshTries,
    positions: readonly number[],
  ): Work<number> {
    const letters = yield* takeLetters(this.database, this.queue, owner, ids);
    yield* this.adding(
      letters.map(({ delivery }) => ({ ...delivery, ...tries })),
      positions,
    );
    return letters.length;
  }

  /** What the claim has, until the end of the transaction. */
  private *held(id: string, claimId: string): Work<WebhookDelivery | undefined> {
    const kept = `SELECT id, free_at, position, delivery FROM rookery_webhooks WHERE id = ? AND claim_id = ?
      ${this.database.dialect.forUpdate}`;
    const [row] = yield* run<WebhookRow>(kept, [id, claimId]);
    return row && deliveryOf(row);
  }

  /** Ever greater, and after those of an earlier process. */
  private nextPosition(): number {
    this.lastPosition = Math.max(this.lastPosition + 1, Date.now() * 1000);
    return this.lastPosition;
  }
}

// It was written by `add` or `retry`.
const deliveryOf = ({ delivery }: WebhookRow): WebhookDelivery => JSON.parse(delivery) as WebhookDelivery;
