import { Injectable } from '@nestjs/common';
import {
  type Added,
  type Backlog,
  type Cancelled,
  type ClaimedPublish,
  dueAtOf,
  type Lane,
  type LaneChange,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  PublishOutbox,
  type PublishRecord,
  type Retry,
  type Saved,
  type WaitingRetries,
} from 'rookery/publish';
import type { Platform } from 'rookery/push-device';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { bodyText, claimOfRow, type LaneRow, type PublishRow } from './publish-row.js';
import { forgettingOutcomes, keepOutcomes, readOutcomes } from './outcomes.js';
import { setRetries, settleRetries } from './retries.js';

/** In a database: several processes share the work, and what was answered as added is kept. */
@Injectable()
export class TypeOrmPublishOutbox extends PublishOutbox {
  constructor(private readonly database: Database) {
    super();
  }

  add(publish: Publish, once?: OnceKey): Promise<Added> {
    return this.database.write(() => this.adding(publish, once));
  }

  /** Most claims find nothing, so they look before they write. */
  async claim(owner: string, now: number, leaseMs: number): Promise<ClaimedPublish | undefined> {
    const due = await this.database.read('SELECT 1 FROM rookery_publishes WHERE due_at <= ? LIMIT 1', [now]);
    return due.length > 0 ? this.database.write(() => this.claiming(owner, now, leaseMs)) : undefined;
  }

  async renew(owner: string, publishId: string, leasedUntil: number): Promise<boolean> {
    const held = 'UPDATE rookery_publishes SET due_at = ? WHERE id = ? AND owner = ? RETURNING id';
    return (await this.database.execute(held, [leasedUntil, publishId, owner])).length > 0;
  }

  save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    return this.database.write(() => this.saving(owner, publishId, lane, change));
  }

  cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    return this.database.write(() => this.cancelling(instanceId, publishId, now));
  }

  async retries(publishId: string, platform: Platform, now: number, limit: number): Promise<readonly Retry[]> {
    const rows = await this.database.read<{ device_id: string; attempts: number | string; due_at: number | string }>(
      `SELECT device_id, attempts, due_at FROM rookery_publish_retries
       WHERE publish_id = ? AND platform = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      [publishId, platform, now, limit],
    );
    return rows.map((row) => ({
      deviceId: row.device_id,
      attempts: Number(row.attempts),
      dueAt: Number(row.due_at),
    }));
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    const rows = await this.database.read<{ platform: Platform; count: number | string; due_at: number | string }>(
      `SELECT platform, COUNT(*) AS count, MIN(due_at) AS due_at FROM rookery_publish_retries
       WHERE publish_id = ? GROUP BY platform`,
      [publishId],
    );
    return rows.map(({ platform, count, due_at: dueAt }) => ({
      platform,
      count: Number(count),
      dueAt: Number(dueAt),
    }));
  }

  async release(owner: string, publishId: string, dueAt: number): Promise<void> {
    const held =
      'UPDATE rookery_publishes SET owner = NULL, due_at = COALESCE(cancelled_at, ?) WHERE id = ? AND owner = ?';
    await this.database.execute(held, [dueAt, publishId, owner]);
  }

  finish(owner: string, publishId: string, now: number): Promise<boolean> {
    return this.database.write(() => this.finishing(owner, publishId, now));
  }

  async backlog(now: number): Promise<Backlog> {
    const [row] = await this.database.read<{ count: number | string; oldest: number | string | null }>(
      'SELECT COUNT(*) AS count, MIN(due_at) AS oldest FROM rookery_publishes WHERE due_at <= ?',
      [now],
    );
    if (!row || row.oldest === null) return { publishes: 0 };
    return { publishes: Number(row.count), oldestDueAt: Number(row.oldest) };
  }

  async find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    const [row] = await this.database.read<PublishRow>(
      'SELECT * FROM rookery_publishes WHERE id = ? AND instance_id = ?',
      [publishId, instanceId],
    );
    if (!row) return undefined;
    const lanes = await this.database.read<LaneRow>(lanesOf, [publishId]);
    const record = claimOfRow(row, lanes);
    return row.finished_at === null ? record : { ...record, finishedAt: Number(row.finished_at) };
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    const found = await this.database.read('SELECT 1 FROM rookery_publishes WHERE id = ? AND instance_id = ?', [
      publishId,
      instanceId,
    ]);
    return found.length > 0;
  }

  async finishedBefore(time: number, limit: number): Promise<readonly string[]> {
    const rows = await this.database.read<{ id: string }>(
      'SELECT id FROM rookery_publishes WHERE finished_at < ? ORDER BY finished_at LIMIT ?',
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Step by step, between which others may write. */
  async forget(publishIds: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    const named = `DELETE FROM rookery_publishes WHERE id IN (SELECT value FROM ${each})`;
    for (let start = 0; start < publishIds.length; start += publishesAtOnce)
      await this.database.execute(named, [list(publishIds.slice(start, start + publishesAtOnce))]);
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

  private *adding(publish: Publish, once: OnceKey | undefined): Work<Added> {
    const known = once && (yield* this.knownBy(publish, once));
    if (known) return known;
    yield* run('INSERT INTO rookery_publishes (id, instance_id, body, created_at, due_at) VALUES (?, ?, ?, ?, ?)', [
      publish.id,
      publish.instanceId,
      bodyText(publish),
      publish.createdAt,
      dueAtOf(publish),
    ]);
    return { outcome: 'added', publishId: publish.id };
  }

  /** Takes the key, or answers who has it. A request that races waits here until the other one's publish is kept. */
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
    if (!first) throw new Error(`The idempotency key of ${id} was removed in this moment`);
    const outcome = first.fingerprint === once.fingerprint ? 'repeated' : 'conflict';
    return { outcome, publishId: first.publish_id };
  }

  private *claiming(owner: string, now: number, leaseMs: number): Work<ClaimedPublish | undefined> {
    const { skipLocked } = this.database.dialect;
    const [row] = yield* run<PublishRow>(
      `SELECT * FROM rookery_publishes WHERE due_at <= ? ORDER BY due_at LIMIT 1 ${skipLocked}`,
      [now],
    );
    if (!row) return undefined;
    yield* run('UPDATE rookery_publishes SET owner = ?, due_at = ? WHERE id = ?', [owner, now + leaseMs, row.id]);
    const lanes = yield* run<LaneRow>(lanesOf, [row.id]);
    return claimOfRow(row, lanes);
  }

  private *saving(owner: string, publishId: string, lane: Lane, change?: LaneChange): Work<Saved> {
    const held = yield* this.held(owner, publishId);
    if (!held) return 'lost';
    yield* run(
      `INSERT INTO rookery_publish_lanes (publish_id, platform, state) VALUES (?, ?, ?)
       ON CONFLICT (publish_id, platform) DO UPDATE SET state = excluded.state`,
      [publishId, lane.platform, JSON.stringify(lane)],
    );
    yield* settleRetries(this.database.dialect, publishId, lane.platform, change?.settled ?? []);
    yield* setRetries(publishId, lane.platform, change?.again ?? []);
    if (change?.outcomes) yield* keepOutcomes(publishId, lane.cursor, change.outcomes);
    return held.cancelled_at === null ? 'saved' : 'cancelled';
  }

  private *cancelling(instanceId: string, publishId: string, now: number): Work<Cancelled> {
    const [row] = yield* run<PublishRow>(
      `SELECT * FROM rookery_publishes WHERE id = ? AND instance_id = ? ${this.database.dialect.forUpdate}`,
      [publishId, instanceId],
    );
    if (!row) return 'unknown';
    if (row.cancelled_at !== null) return 'cancelled';
    if (row.finished_at !== null) return 'finished';
    yield* run(
      `UPDATE rookery_publishes SET cancelled_at = ?, due_at = CASE WHEN owner IS NULL THEN ? ELSE due_at END
       WHERE id = ?`,
      [now, now, publishId],
    );
    return 'cancelled';
  }

  private *finishing(owner: string, publishId: string, now: number): Work<boolean> {
    if (!(yield* this.held(owner, publishId))) return false;
    const finished = 'UPDATE rookery_publishes SET owner = NULL, due_at = NULL, finished_at = ? WHERE id = ?';
    yield* run(finished, [now, publishId]);
    yield* run('DELETE FROM rookery_publish_retries WHERE publish_id = ?', [publishId]);
    return true;
  }

  /** The fence: the publish if it is the owner's, which it stays until the end of the transaction. */
  private *held(owner: string, publishId: string): Work<Pick<PublishRow, 'cancelled_at'> | undefined> {
    const { forUpdate } = this.database.dialect;
    const held = `SELECT cancelled_at FROM rookery_publishes WHERE id = ? AND owner = ? ${forUpdate}`;
    const [row] = yield* run<Pick<PublishRow, 'cancelled_at'>>(held, [publishId, owner]);
    return row;
  }
}

/** Publishes of one DELETE: each has up to 200 KB, and rows of its own in other tables. */
const publishesAtOnce = 10;

/** Keys of one DELETE. */
const keysAtOnce = 500;

const expiredKeys = `DELETE FROM rookery_publish_keys WHERE (instance_id, once_key) IN (
    SELECT instance_id, once_key FROM rookery_publish_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?
  ) RETURNING once_key`;

const lanesOf = 'SELECT state FROM rookery_publish_lanes WHERE publish_id = ? ORDER BY platform';
