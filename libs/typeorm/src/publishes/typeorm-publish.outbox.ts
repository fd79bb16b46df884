import { Injectable } from '@nestjs/common';
import type { ClaimedJob, Within } from 'rookery/jobs';
import {
  type Added,
  begun,
  type Cancelled,
  type DeviceReport,
  isPartitionOfJob,
  type Partition,
  type PartitionChange,
  partitionName,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  publishJob,
  PublishOutbox,
  type PublishCursor,
  type PublishRecord,
  rangeJob,
  type ReportCount,
  type Retry,
  type Saved,
  type WaitingRetries,
} from 'rookery/publish';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import {
  bodyText,
  keepPartition,
  partitionOfRow,
  type PartitionRow,
  partitionsOf,
  publishOfRow,
  type PublishRow,
} from './publish-row.js';
import { forgetOutcomesOf, forgettingOutcomes, keepOutcomes, readOutcomes } from './outcomes.js';
import { TypeOrmJobStore } from '../jobs/typeorm-job.store.js';
import { addingReport, forgetReports, isReported, readReports, readReportsOf } from './reports.js';
import { setRetries, settleRetries } from './retries.js';

/** Tells other processes that a publish or a range is due. */
const due = 'rookery_publishes_due';

/** The job queue of publishes. */
const publishesQueue = 'publishes';

/** In a database: several processes share the work, and an acknowledged publish is durable. */
@Injectable()
export class TypeOrmPublishOutbox extends PublishOutbox {
  readonly jobs: TypeOrmJobStore;

  constructor(private readonly database: Database) {
    super();
    this.jobs = new TypeOrmJobStore(database, publishesQueue, due);
  }

  async add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added> {
    if (within) return this.addWithin(publish, once, within);
    const added = await this.database.write(() => this.adding(publish, once));
    if (added.outcome === 'added') this.announce(publish);
    return added;
  }

  private async addWithin(publish: Publish, once: OnceKey | undefined, within: Within): Promise<Added> {
    let isAdded = false;
    const committed = (): void => {
      if (!isAdded) return;
      this.announce(publish);
      within.committed();
    };
    const added = await this.database.writeWithin({ ...within, committed }, () => this.adding(publish, once));
    isAdded = added.outcome === 'added';
    return added;
  }

  isIn(database: Database): boolean {
    return this.database === database;
  }

  /** Tells other processes of a publish that is due at once. */
  announce({ publishAt }: Publish): void {
    if (publishAt === undefined) this.jobs.notify();
  }

  async save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    const saved = await this.database.write(() => this.saving(job, partition, change));
    if (change?.handedOver && saved !== 'lost') this.jobs.notify();
    return saved;
  }

  leave(job: ClaimedJob): Promise<readonly Partition[] | undefined> {
    return this.database.write(() => this.leaving(job));
  }

  async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const cancelled = await this.database.write(() => this.cancelling(instanceId, publishId, now));
    if (cancelled === 'cancelled') this.jobs.notify();
    return cancelled;
  }

  async retries(publishId: string, partition: string, now: number, limit: number): Promise<readonly Retry[]> {
    const rows = await this.database.read<{ device_id: string; attempts: number | string; due_at: number | string }>(
      `SELECT device_id, attempts, due_at FROM rookery_publish_retries
       WHERE publish_id = ? AND partition = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      [publishId, partition, now, limit],
    );
    return rows.map((row) => ({
      deviceId: row.device_id,
      attempts: Number(row.attempts),
      dueAt: Number(row.due_at),
    }));
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    const rows = await this.database.read<{ partition: string; count: number | string; due_at: number | string }>(
      `SELECT partition, COUNT(*) AS count, MIN(due_at) AS due_at FROM rookery_publish_retries
       WHERE publish_id = ? GROUP BY partition`,
      [publishId],
    );
    return rows.map(({ partition, count, due_at: dueAt }) => ({
      partition,
      count: Number(count),
      dueAt: Number(dueAt),
    }));
  }

  finish(job: ClaimedJob, now: number): Promise<boolean> {
    return this.database.write(() => this.finishing(job, now));
  }

  async find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    const [row] = await this.database.read<PublishRow>(
      'SELECT * FROM rookery_publishes WHERE id = ? AND instance_id = ?',
      [publishId, instanceId],
    );
    if (!row) return undefined;
    const partitions = await this.database.read<PartitionRow>(partitionsOf, [publishId]);
    return {
      publish: publishOfRow(row),
      partitions: partitions.map(partitionOfRow),
      ...(row.cancelled_at === null ? {} : { cancelledAt: Number(row.cancelled_at) }),
      ...(row.finished_at === null ? {} : { finishedAt: Number(row.finished_at) }),
    };
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    const found = await this.database.read('SELECT 1 FROM rookery_publishes WHERE id = ? AND instance_id = ?', [
      publishId,
      instanceId,
    ]);
    return found.length > 0;
  }

  async latest(instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]> {
    const beyond = after ? 'AND (created_at < ? OR (created_at = ? AND id < ?))' : '';
    const rows = await this.database.read<PublishRow>(
      `SELECT * FROM rookery_publishes WHERE instance_id = ? ${beyond} ORDER BY created_at DESC, id DESC LIMIT ?`,
      [instanceId, ...(after ? [after.createdAt, after.createdAt, after.id] : []), limit],
    );
    return rows.map(publishOfRow);
  }

  async finishedBefore(time: number, limit: number): Promise<readonly string[]> {
    const rows = await this.database.read<{ id: string }>(
      'SELECT id FROM rookery_publishes WHERE finished_at < ? ORDER BY finished_at LIMIT ?',
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** In small steps, so that others can write in between. */
  async forget(publishIds: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    // Before their publishes: after a crash in between, a publish still leads to its reports.
    await forgetReports(this.database, publishIds);
    const named = `DELETE FROM rookery_publishes WHERE id IN (SELECT value FROM ${each})`;
    for (let start = 0; start < publishIds.length; start += publishesAtOnce) {
      const some = publishIds.slice(start, start + publishesAtOnce);
      // Otherwise the DELETE would cascade to all of these rows in one step.
      for (const id of some) await forgetOutcomesOf(this.database, id);
      await this.database.write(() => this.jobs.forgetting(some));
      await this.database.execute(named, [list(some)]);
    }
    // Those that came meanwhile.
    await forgetReports(this.database, publishIds);
  }

  outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage> {
    return readOutcomes(this.database, publishId, query);
  }

  forgetOutcomes(before: number): Promise<number> {
    return this.database.write(() => forgettingOutcomes(before));
  }

  async forgetKeys(now: number): Promise<void> {
    while ((await this.database.execute(expiredKeys, [now, keysAtOnce])).length === keysAtOnce);
  }

  report(report: DeviceReport): Promise<void> {
    return this.database.write(() => addingReport(report));
  }

  isReported(report: DeviceReport): Promise<boolean> {
    return isReported(this.database, report);
  }

  reports(publishId: string): Promise<readonly ReportCount[]> {
    return readReports(this.database, publishId);
  }

  reportsOf(publishId: string, deviceIds: readonly string[]): Promise<readonly DeviceReport[]> {
    return readReportsOf(this.database, publishId, deviceIds);
  }

  /** The work of `add`, for a repository that adds a publish with data of its own; see `announce`. */
  *adding(publish: Publish, once?: OnceKey): Work<Added> {
    const known = once && (yield* this.knownBy(publish, once));
    if (known) return known;
    const { id, instanceId, createdAt } = publish;
    const row = [id, instanceId, bodyText(publish), createdAt];
    yield* run('INSERT INTO rookery_publishes (id, instance_id, body, created_at) VALUES (?, ?, ?, ?)', row);
    yield* this.jobs.adding([publishJob(publish)]);
    return { outcome: 'added', publishId: publish.id };
  }

  /** Takes the key, or returns its owner. A concurrent request waits here until the other publish is committed. */
  private *knownBy({ id, instanceId, createdAt }: Publish, once: OnceKey): Work<Added | undefined> {
    const key = [instanceId, once.key];
    const ofKey = 'instance_id = ? AND once_key = ?';
    yield* run(`DELETE FROM rookery_publish_keys WHERE ${ofKey} AND expires_at <= ?`, [...key, createdAt]);
    const taken = yield* run(
      `INSERT INTO rookery_publish_keys (instance_id, once_key, fingerprint, publish_id, expires_at)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING publish_id`,
      [...key, once.fingerprint, id, once.expiresAt],
    );
    if (taken.length > 0) return undefined;
    const [first] = yield* run<{ fingerprint: string; publish_id: string }>(
      `SELECT fingerprint, publish_id FROM rookery_publish_keys WHERE ${ofKey}`,
      key,
    );
    if (!first) throw new Error(`The idempotency key of ${id} was removed concurrently`);
    const outcome = first.fingerprint === once.fingerprint ? 'repeated' : 'conflict';
    return { outcome, publishId: first.publish_id };
  }

  private *saving(job: ClaimedJob, partition: Partition, change?: PartitionChange): Work<Saved> {
    const held = yield* this.held(job);
    if (!held || !isPartitionOfJob(job, partition)) return 'lost';
    const [publishId, name] = [job.key, partitionName(partition)];
    yield* keepPartition(publishId, partition);
    yield* settleRetries(this.database.dialect, publishId, name, change?.settled ?? []);
    yield* setRetries(publishId, name, change?.again ?? []);
    if (change?.outcomes) yield* keepOutcomes(publishId, partition.cursor, change.outcomes);
    if (change?.handedOver) {
      const { partition: range, dueAt } = change.handedOver;
      yield* keepPartition(publishId, range);
      yield* this.jobs.adding([rangeJob(job, range, dueAt)]);
    }
    if (held.cancelled_at !== null) return 'cancelled';
    return change?.handedOver || Number(held.waits) === 1 ? 'saved' : 'wanted';
  }

  /** Locks the publish first, so that exactly one job sees itself as the last. */
  private *leaving(job: ClaimedJob): Work<readonly Partition[] | undefined> {
    yield* this.locked(job.key);
    if (!(yield* this.held(job))) return undefined;
    if (!(yield* this.jobs.hasOthers(job)))
      return (yield* run<PartitionRow>(partitionsOf, [job.key])).map(partitionOfRow);
    yield* this.jobs.ending(job);
    return undefined;
  }

  private *cancelling(instanceId: string, publishId: string, now: number): Work<Cancelled> {
    const row = yield* this.locked(publishId);
    if (row?.instance_id !== instanceId) return 'unknown';
    if (row.cancelled_at !== null) return 'cancelled';
    if (row.finished_at !== null) return 'finished';
    yield* run('UPDATE rookery_publishes SET cancelled_at = ? WHERE id = ?', [now, publishId]);
    yield* this.jobs.hurrying(publishId, now);
    return 'cancelled';
  }

  private *finishing(job: ClaimedJob, now: number): Work<boolean> {
    yield* this.locked(job.key);
    if ((yield* this.jobs.hasOthers(job)) || !(yield* this.jobs.ending(job))) return false;
    yield* run('UPDATE rookery_publishes SET finished_at = ? WHERE id = ?', [now, job.key]);
    yield* run('DELETE FROM rookery_publish_retries WHERE publish_id = ?', [job.key]);
    return true;
  }

  private *locked(publishId: string): Work<PublishRow | undefined> {
    const one = `SELECT * FROM rookery_publishes WHERE id = ? ${this.database.dialect.forUpdate}`;
    const [row] = yield* run<PublishRow>(one, [publishId]);
    return row;
  }

  /**
   * The fence: locks the job until the transaction ends, if the claim still holds it. Returns whether the publish is
   * cancelled and whether a range waits.
   */
  private *held(job: ClaimedJob) {
    const waits = `EXISTS (SELECT 1 FROM rookery_jobs WHERE queue = ? AND key = ? AND claim_id IS NULL AND state <> ?)`;
    const held = `SELECT (SELECT cancelled_at FROM rookery_publishes WHERE id = ?) AS cancelled_at,
        CASE WHEN ${waits} THEN 1 ELSE 0 END AS waits
      FROM rookery_jobs WHERE queue = ? AND id = ? AND claim_id = ? ${this.database.dialect.forUpdate}`;
    const { id, key, claimId } = job;
    const parameters = [key, publishesQueue, key, JSON.stringify(begun), publishesQueue, id, claimId];
    const [row] = yield* run<Pick<PublishRow, 'cancelled_at'> & { readonly waits: number | string }>(held, parameters);
    return row;
  }
}

/** Publishes per DELETE: each has up to 200 KB, and rows in other tables. */
const publishesAtOnce = 10;

/** Keys per DELETE. */
const keysAtOnce = 500;

const expiredKeys = `DELETE FROM rookery_publish_keys WHERE (instance_id, once_key) IN (
    SELECT instance_id, once_key FROM rookery_publish_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?
  ) RETURNING once_key`;
