import { Injectable, Optional } from '@nestjs/common';
import {
  buriedAtOnce,
  type DeadLetter,
  type DeadLetterLimits,
  type FreshTries,
  type WebhookBacklog,
  type WebhookClaim,
  type WebhookDelivery,
  WebhookOutbox,
} from 'rookery/common';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { keepLetters, readLetters, takeLetters } from './dead-letters.js';
import { byTurn, type FreeEndpoint, freeEndpoints, freeEndpointsOf, type Turn } from './free-endpoints.js';

interface WebhookRow extends Turn {
  readonly id: string;
  readonly delivery: string;
}

/** Held by no claim; a claim sets the end of its lease. */
const isFree = '(claim_id IS NULL OR free_at <= ?)';

/**
 * In a database: deliveries outlive the process, and several processes share them. Two modules
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

  async backlog(now: number): Promise<WebhookBacklog> {
    const count = 'SELECT COUNT(*) AS count FROM rookery_webhooks WHERE queue = ?';
    const [[all], [first]] = await Promise.all([
      this.database.read<{ count: number | string }>(count, [this.queue]),
      this.database.read<FreeEndpoint>(freeEndpoints, freeEndpointsOf(this.queue, now)),
    ]);
    return { webhooks: Number(all?.count ?? 0), ...(first && { oldestDueAt: Number(first.free_at) }) };
  }

  async buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): Promise<number> {
    // As `claim`: a host may have closed it.
    if (!this.database.dataSource.isInitialized) return 0;
    const beyond = 'SELECT 1 AS found FROM rookery_webhooks WHERE queue = ? LIMIT 1 OFFSET ?';
    const found = await this.database.read(beyond, [this.queue, most]);
    return found.length > 0 ? this.database.write(() => this.buryingBeyond(most, death, limits)) : 0;
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
    yield* keepLetters(this.queue, [delivery], death, limits);
  }

  private *buryingBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): Work<number> {
    // What another process buries at the same time would be counted here too.
    yield* this.database.hold(`rookery_webhooks ${this.queue}`);
    const queues = yield* run<{ endpoint: string; count: number | string; free: number | string }>(
      `SELECT endpoint, COUNT(*) AS count, SUM(CASE WHEN ${isFree} THEN 1 ELSE 0 END) AS free
       FROM rookery_webhooks WHERE queue = ? GROUP BY endpoint`,
      [death.diedAt, this.queue],
    );
    const [fullest] = queues.toSorted((one, other) => Number(other.free) - Number(one.free));
    const excess = queues.reduce((sum, { count }) => sum + Number(count), -most);
    const count = Math.min(excess, Math.ceil(Number(fullest?.free ?? 0) / 2), buriedAtOnce);
    if (!fullest || count <= 0) return 0;
    const rows = yield* run<WebhookRow>(
      `SELECT id, delivery FROM rookery_webhooks WHERE queue = ? AND endpoint = ? AND ${isFree}
       ORDER BY free_at, position LIMIT ? ${this.database.dialect.skipLocked}`,
      [this.queue, fullest.endpoint, death.diedAt, count],
    );
    const { each, list } = this.database.dialect;
    const ids = list(rows.map(({ id }) => id));
    yield* run(`DELETE FROM rookery_webhooks WHERE id IN (SELECT value FROM ${each})`, [ids]);
    yield* keepLetters(this.queue, rows.map(deliveryOf), death, limits);
    return rows.length;
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
