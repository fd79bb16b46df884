import { Injectable, Optional } from '@nestjs/common';
import { hashOf } from '#common';
import {
  buriedAtOnce,
  type ClaimedJob,
  type DeadJob,
  type DeadJobCounts,
  type DeadJobLimits,
  type Death,
  type FreshJob,
  type Job,
  type JobBacklog,
  type JobClaim,
  JobStore,
  type Within,
} from 'rookery/jobs';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { countDead, DeadBytes, keepDead, readDead, readLatestDead, takeDead } from './dead-jobs.js';
import { type FreeKey, freeKeys, freeKeysOf } from './free-keys.js';
import { byTurn, jobOfRow, type JobRow, type Turn } from './job-row.js';
import { SeldomNotices } from './seldom-notices.js';

/** Not claimed, or the claim's lease has ended. */
const isFree = '(claim_id IS NULL OR free_at <= ?)';

/** The fence: only the latest claim may change the job. */
const isHeld = 'queue = ? AND id = ? AND claim_id = ?';

/** Whether a claim accepts jobs of a key. */
const isIn =
  ({ busy }: JobClaim) =>
  ({ key }: FreeKey): boolean =>
    !busy.has(key);

/** Rows per INSERT: few round trips, and few enough parameters for both databases. */
const rowsPerBatch = 100;

/**
 * In a database: jobs outlive the process, and several processes share them. If two modules keep jobs here, each needs
 * its own queue, or one would run the other's jobs with its own settings: see `named`.
 */
@Injectable()
export class TypeOrmJobStore extends JobStore {
  private lastPosition = 0;
  private readonly deadBytes = new DeadBytes();
  private readonly notice: string;
  /** Undefined if a repository sends the notices. */
  private readonly notices: SeldomNotices | undefined;
  private readonly letGo: () => Promise<void>;

  /**
   * @param notice the notice that tells other processes that a job is due. With it, a repository of Rookery stores
   *   these jobs with its records and sends the notice itself; without it, the store sends one of its own, and works
   *   until the database is closed
   */
  constructor(
    private readonly database: Database,
    @Optional() private readonly queue: string = 'webhooks',
    @Optional() notice?: string,
  ) {
    super();
    // A queue may have any name, a notice may not.
    this.notice = notice ?? `rookery_jobs_${hashOf(queue)}`;
    if (notice === undefined) this.notices = new SeldomNotices(database, this.notice);
    this.letGo = notice === undefined ? database.keepOpen() : async () => undefined;
  }

  /** Creates a store with its own queue: `forRoot({ webhookOutbox: TypeOrmJobStore.named('push') })`. */
  static named(queue: string) {
    return { inject: [Database], useFactory: (database: Database) => new TypeOrmJobStore(database, queue) };
  }

  async add(jobs: readonly Job[], within?: Within): Promise<{ readonly dropped: number }> {
    if (within) await this.database.writeWithin(this.noticing(within), () => this.adding(jobs));
    else {
      await this.database.write(() => this.adding(jobs));
      this.notices?.send();
    }
    return { dropped: 0 };
  }

  /** Most claims find nothing, so it reads before it writes. */
  async claim(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    // The host may close its data source before the runner stops: another process then claims the remaining jobs.
    if (!this.database.dataSource.isInitialized) return [];
    const { now, limit, perKey, busy } = claim;
    if (perKey > 1) {
      const keys = (await this.database.read<FreeKey>(freeKeys, freeKeysOf(this.queue, now))).filter(isIn(claim));
      return keys.length > 0 ? this.database.write(() => this.claiming(claim, keys)) : [];
    }
    // Such queues have few jobs per key, so many keys: read the jobs due first instead of all keys.
    const first = await this.database.read<Pick<JobRow, 'key'>>(
      'SELECT key FROM rookery_jobs WHERE queue = ? AND free_at <= ? ORDER BY free_at, position LIMIT ?',
      [this.queue, now, limit],
    );
    const isSome = first.some(({ key }) => !busy.has(key));
    return isSome || first.length === limit ? this.database.write(() => this.claiming(claim)) : [];
  }

  override async nextDueAt(): Promise<number> {
    const [row] = await this.database.read<{ readonly at: number | string | null }>(
      'SELECT MIN(free_at) AS at FROM rookery_jobs WHERE queue = ?',
      [this.queue],
    );
    return Number(row?.at ?? Infinity);
  }

  async renew({ id, claimId }: ClaimedJob, leasedUntil: number): Promise<boolean> {
    const renewed = `UPDATE rookery_jobs SET free_at = ? WHERE ${isHeld} RETURNING id`;
    return (await this.database.execute(renewed, [leasedUntil, this.queue, id, claimId])).length > 0;
  }

  async done(job: ClaimedJob): Promise<void> {
    await this.database.execute(`DELETE FROM rookery_jobs WHERE ${isHeld}`, [this.queue, job.id, job.claimId]);
  }

  async retry({ id, claimId }: ClaimedJob, dueAt: number, state?: unknown): Promise<void> {
    const at = 'CASE WHEN due_by < ? THEN due_by ELSE CAST(? AS bigint) END';
    await this.database.execute(
      `UPDATE rookery_jobs SET due_at = ${at}, free_at = ${at}, claim_id = NULL, due_by = NULL,
         state = COALESCE(?, state) WHERE ${isHeld}`,
      [dueAt, dueAt, dueAt, dueAt, JSON.stringify(state) ?? null, this.queue, id, claimId],
    );
  }

  async bury(job: ClaimedJob, death: Death, limits: DeadJobLimits): Promise<void> {
    await this.database.write(() => this.burying(job, death, limits));
  }

  async size(): Promise<number> {
    const [row] = await this.database.read<{ jobs: number | string }>(
      'SELECT COUNT(*) AS jobs FROM rookery_jobs WHERE queue = ?',
      [this.queue],
    );
    return Number(row?.jobs ?? 0);
  }

  async backlog(now: number): Promise<JobBacklog> {
    const [due] = await this.database.read<{ due_keys: number | string; oldest: number | string | null }>(
      `SELECT COUNT(DISTINCT key) AS due_keys, MIN(free_at) AS oldest FROM rookery_jobs
       WHERE queue = ? AND free_at <= ?`,
      [this.queue, now],
    );
    const [dueKeys, oldest] = [Number(due?.due_keys ?? 0), due?.oldest ?? undefined];
    return { dueKeys, ...(oldest !== undefined && { oldestDueAt: Number(oldest) }) };
  }

  async buryBeyond(most: number, death: Death, limits: DeadJobLimits): Promise<number> {
    // As in `claim`: the host may have closed it.
    if (!this.database.dataSource.isInitialized) return 0;
    const beyond = 'SELECT 1 AS found FROM rookery_jobs WHERE queue = ? LIMIT 1 OFFSET ?';
    const found = await this.database.read(beyond, [this.queue, most]);
    return found.length > 0 ? this.database.write(() => this.buryingBeyond(most, death, limits)) : 0;
  }

  dead(owner: string, after: string, limit: number): Promise<readonly DeadJob[]> {
    return readDead(this.database, this.queue, owner, after, limit);
  }

  latestDead(owner: string, before: string, limit: number): Promise<readonly DeadJob[]> {
    return readLatestDead(this.database, this.queue, owner, before, limit);
  }

  deadCounts(owner: string): Promise<DeadJobCounts> {
    return countDead(this.database, this.queue, owner);
  }

  async resend(owner: string, ids: readonly string[], fresh: FreshJob): Promise<number> {
    const resent = await this.database.write(() => this.resending(owner, ids, fresh));
    this.notices?.send();
    return resent;
  }

  override watch(wake: () => void): (() => Promise<void>) | undefined {
    return this.database.listen(this.notice, wake);
  }

  /** Tells other processes that a job is due. */
  notify(): void {
    this.database.notify(this.notice);
  }

  override async close(): Promise<void> {
    this.notices?.stop();
    await this.letGo();
  }

  private noticing(within: Within): Within {
    const committed = (): void => {
      this.notices?.send();
      within.committed();
    };
    return { ...within, committed };
  }

  /** Like `add`, in the transaction of a record. */
  *adding(jobs: readonly Job[]): Work<void> {
    for (let start = 0; start < jobs.length; start += rowsPerBatch) {
      const some = jobs.slice(start, start + rowsPerBatch);
      yield* run(
        `INSERT INTO rookery_jobs (queue, id, owner, key, due_at, free_at, position, data, state)
         VALUES ${some.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
        some.flatMap(({ id, owner, key, dueAt, data, state }) => {
          return [
            this.queue,
            id,
            owner,
            key,
            dueAt,
            dueAt,
            this.nextPosition(),
            JSON.stringify(data),
            JSON.stringify(state),
          ];
        }),
      );
    }
  }

  /** Like `done`, in the transaction of a record; returns whether the claim still held the job. */
  *ending({ id, claimId }: ClaimedJob): Work<boolean> {
    const gone = `DELETE FROM rookery_jobs WHERE ${isHeld} RETURNING id`;
    return (yield* run(gone, [this.queue, id, claimId])).length > 0;
  }

  /** In the transaction of a record: whether the key has other jobs. */
  *hasOthers({ id, key }: Job): Work<boolean> {
    const other = 'SELECT id FROM rookery_jobs WHERE queue = ? AND key = ? AND id <> ? LIMIT 1';
    return (yield* run(other, [this.queue, key, id])).length > 0;
  }

  /** In the transaction of a record: makes the jobs of a key due; claimed jobs become due when their claims end. */
  *hurrying(key: string, at: number): Work<void> {
    yield* run(
      `UPDATE rookery_jobs SET due_by = ?, due_at = CASE WHEN claim_id IS NULL THEN CAST(? AS bigint) ELSE due_at END,
         free_at = CASE WHEN claim_id IS NULL THEN CAST(? AS bigint) ELSE free_at END
       WHERE queue = ? AND key = ?`,
      [at, at, at, this.queue, key],
    );
  }

  /** In the transaction of a record: deletes the jobs of keys. */
  *forgetting(keys: readonly string[]): Work<void> {
    const { each, list } = this.database.dialect;
    yield* run(`DELETE FROM rookery_jobs WHERE queue = ? AND key IN (SELECT value FROM ${each})`, [
      this.queue,
      list(keys),
    ]);
  }

  /** The jobs of a key, also claimed ones, those due first. */
  async ofKey(key: string, limit: number): Promise<readonly Job[]> {
    const rows = await this.database.read<JobRow>(
      'SELECT * FROM rookery_jobs WHERE queue = ? AND key = ? ORDER BY free_at, position LIMIT ?',
      [this.queue, key, limit],
    );
    return rows.map(jobOfRow);
  }

  /** In the transaction of a record: deletes some jobs of a key, also claimed ones. */
  *forgettingOf(key: string, ids: readonly string[]): Work<void> {
    const { each, list } = this.database.dialect;
    yield* run(`DELETE FROM rookery_jobs WHERE queue = ? AND key = ? AND id IN (SELECT value FROM ${each})`, [
      this.queue,
      key,
      list(ids),
    ]);
  }

  private *claiming(claim: JobClaim, keys?: readonly FreeKey[]): Work<readonly ClaimedJob[]> {
    const found = yield* keys ? this.ofEachKey(claim, keys) : this.firstOfAll(claim);
    const { each, list } = this.database.dialect;
    yield* run(
      `UPDATE rookery_jobs SET free_at = ?, claim_id = ? WHERE queue = ? AND id IN (SELECT value FROM ${each})`,
      [claim.now + claim.leaseMs, claim.id, this.queue, list(found.map(({ id }) => id))],
    );
    return found.map((row) => ({ ...jobOfRow(row), claimId: claim.id }));
  }

  private *firstOfAll(claim: JobClaim): Work<readonly JobRow[]> {
    const first = yield* this.freeBefore(claim);
    const fitting = this.fitting(first, claim);
    if (fitting.length === claim.limit || first.length < claim.limit) return fitting;
    // There are more: a long queue of one key may hide the jobs of other keys.
    const keys = yield* run<FreeKey>(freeKeys, freeKeysOf(this.queue, claim.now));
    return yield* this.ofEachKey(claim, keys.filter(isIn(claim)));
  }

  private freeBefore({ now, limit }: JobClaim): Work<readonly JobRow[]> {
    return run<JobRow>(
      `SELECT * FROM rookery_jobs WHERE queue = ? AND free_at <= ? ORDER BY free_at, position
       LIMIT ? ${this.database.dialect.skipLocked}`,
      [this.queue, now, limit],
    );
  }

  private fitting(rows: readonly JobRow[], { perKey, busy }: JobClaim): readonly JobRow[] {
    const counts = new Map<string, number>();
    return rows.filter(({ key }) => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= perKey && !busy.has(key);
    });
  }

  private *ofEachKey(claim: JobClaim, keys: readonly FreeKey[]): Work<readonly JobRow[]> {
    const { limit } = claim;
    let found: readonly JobRow[] = [];
    for (const free of keys) {
      const last: Turn | undefined = found[limit - 1];
      if (last && byTurn(free, last) > 0) break;
      found = [...found, ...(yield* this.freeOf(free, claim))].sort(byTurn).slice(0, limit);
    }
    return found;
  }

  private freeOf({ key }: FreeKey, { now, limit, perKey }: JobClaim): Work<readonly JobRow[]> {
    return run<JobRow>(
      `SELECT * FROM rookery_jobs WHERE queue = ? AND key = ? AND free_at <= ?
       ORDER BY free_at, position LIMIT ? ${this.database.dialect.skipLocked}`,
      [this.queue, key, now, Math.min(limit, perKey)],
    );
  }

  private *burying({ id, claimId }: ClaimedJob, death: Death, limits: DeadJobLimits): Work<void> {
    const rows = yield* run<JobRow>(`DELETE FROM rookery_jobs WHERE ${isHeld} RETURNING *`, [this.queue, id, claimId]);
    if (rows.length > 0) yield* keepDead(this.queue, rows.map(jobOfRow), death, limits, this.deadBytes);
  }

  private *buryingBeyond(most: number, death: Death, limits: DeadJobLimits): Work<number> {
    // Without the lock, two processes would count, and bury, the same excess.
    yield* this.database.hold(`rookery_jobs ${this.queue}`);
    const keys = yield* run<{ key: string; count: number | string; free: number | string }>(
      `SELECT key, COUNT(*) AS count, SUM(CASE WHEN ${isFree} THEN 1 ELSE 0 END) AS free
       FROM rookery_jobs WHERE queue = ? GROUP BY key`,
      [death.diedAt, this.queue],
    );
    const [fullest] = keys.toSorted((one, other) => Number(other.free) - Number(one.free));
    const excess = keys.reduce((sum, { count }) => sum + Number(count), -most);
    const count = Math.min(excess, Math.ceil(Number(fullest?.free ?? 0) / 2), buriedAtOnce);
    if (!fullest || count <= 0) return 0;
    const rows = yield* run<JobRow>(
      `SELECT * FROM rookery_jobs WHERE queue = ? AND key = ? AND ${isFree}
       ORDER BY free_at, position LIMIT ? ${this.database.dialect.skipLocked}`,
      [this.queue, fullest.key, death.diedAt, count],
    );
    const { each, list } = this.database.dialect;
    const ids = list(rows.map(({ id }) => id));
    yield* run(`DELETE FROM rookery_jobs WHERE queue = ? AND id IN (SELECT value FROM ${each})`, [this.queue, ids]);
    yield* keepDead(this.queue, rows.map(jobOfRow), death, limits, this.deadBytes);
    return rows.length;
  }

  private *resending(owner: string, ids: readonly string[], fresh: FreshJob): Work<number> {
    const jobs = yield* takeDead(this.database, this.queue, owner, ids);
    yield* this.adding(jobs.map((job) => ({ ...job, ...fresh })));
    return jobs.length;
  }

  /** Always increasing, and greater than the positions of earlier processes. */
  private nextPosition(): number {
    this.lastPosition = Math.max(this.lastPosition + 1, Date.now() * 1000);
    return this.lastPosition;
  }
}
