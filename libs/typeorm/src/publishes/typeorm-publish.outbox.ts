import { Injectable } from '@nestjs/common';
import type { Within } from 'rookery/jobs';
import {
  type Added,
  type Backlog,
  type Cancelled,
  type ClaimedPublish,
  dueAtOf,
  type Lane,
  type LaneChange,
  laneName,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  PublishOutbox,
  type PublishPlace,
  type PublishRecord,
  type Retry,
  type Saved,
  type WaitingRetries,
} from 'rookery/publish';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import {
  bodyText,
  claimOfRow,
  laneOfRow,
  type LaneRow,
  lanesOf,
  type PublishMarks,
  type PublishRow,
} from './publish-row.js';
import { forgetOutcomesOf, forgettingOutcomes, keepOutcomes, readOutcomes } from './outcomes.js';
import { type Claim, firstDue, passedBy, readBacklog } from './due.js';
import {
  askForRange,
  handOver,
  heldRange,
  keepLane,
  leaving,
  releasingRange,
  renewRange,
  takenRange,
} from './ranges.js';
import { setRetries, settleRetries } from './retries.js';

/** What other processes are told when a publish or a range has become due. */
const due = 'rookery_publishes_due';

/** In a database: several processes share the work, and what was answered as added is kept. */
@Injectable()
export class TypeOrmPublishOutbox extends PublishOutbox {
  constructor(private readonly database: Database) {
    super();
  }

  async add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added> {
    if (within) return this.addWithin(publish, once, within);
    const added = await this.database.write(() => this.adding(publish, once));
    if (added.outcome === 'added') this.tellOf(publish);
    return added;
  }

  private async addWithin(publish: Publish, once: OnceKey | undefined, within: Within): Promise<Added> {
    let isAdded = false;
    const committed = (): void => {
      if (!isAdded) return;
      this.tellOf(publish);
      within.committed();
    };
    const added = await this.database.writeWithin({ ...within, committed }, () => this.adding(publish, once));
    isAdded = added.outcome === 'added';
    return added;
  }

  private tellOf({ publishAt }: Publish): void {
    if (publishAt === undefined) this.database.tell(due);
  }

  override watch(wake: () => void): () => Promise<void> {
    return this.database.listen(due, wake);
  }

  /** Most claims find nothing, so they look before they write. */
  async claim(
    owner: string,
    now: number,
    leaseMs: number,
    except: readonly string[] = [],
  ): Promise<ClaimedPublish | undefined> {
    const claim = { owner, now, leasedUntil: now + leaseMs, except };
    const first = await firstDue(this.database, claim);
    if (first === 'none') return undefined;
    return this.database.write(() => (first === 'publish' ? this.claiming(claim) : this.claimingRange(claim)));
  }

  async renew(owner: string, publishId: string, leasedUntil: number): Promise<boolean> {
    const held = 'UPDATE rookery_publishes SET due_at = ? WHERE id = ? AND owner = ? RETURNING id';
    if ((await this.database.execute(held, [leasedUntil, publishId, owner])).length > 0) return true;
    return renewRange(this.database, owner, publishId, leasedUntil);
  }

  ask(now: number, leaseMs: number): Promise<void> {
    return askForRange(this.database, now, leaseMs);
  }

  leave(owner: string, publishId: string, leasedUntil: number): Promise<readonly Lane[] | undefined> {
    return this.database.write(() => leaving(this.database.dialect, owner, publishId, leasedUntil));
  }

  async save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const saved = await this.database.write(() => this.saving(owner, publishId, lane, change));
    if (change?.handedOver && saved !== 'lost') this.database.tell(due);
    return saved;
  }

  async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const cancelled = await this.database.write(() => this.cancelling(instanceId, publishId, now));
    if (cancelled === 'cancelled') this.database.tell(due);
    return cancelled;
  }

  async retries(publishId: string, lane: string, now: number, limit: number): Promise<readonly Retry[]> {
    const rows = await this.database.read<{ device_id: string; attempts: number | string; due_at: number | string }>(
      `SELECT device_id, attempts, due_at FROM rookery_publish_retries
       WHERE publish_id = ? AND lane = ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
      [publishId, lane, now, limit],
    );
    return rows.map((row) => ({
      deviceId: row.device_id,
      attempts: Number(row.attempts),
      dueAt: Number(row.due_at),
    }));
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    const rows = await this.database.read<{ lane: string; count: number | string; due_at: number | string }>(
      `SELECT lane, COUNT(*) AS count, MIN(due_at) AS due_at FROM rookery_publish_retries
       WHERE publish_id = ? GROUP BY lane`,
      [publishId],
    );
    return rows.map(({ lane, count, due_at: dueAt }) => ({
      lane,
      count: Number(count),
      dueAt: Number(dueAt),
    }));
  }

  async release(owner: string, publishId: string, dueAt: number): Promise<void> {
    const held = `UPDATE rookery_publishes SET owner = NULL, due_at = COALESCE(cancelled_at, ?)
       WHERE id = ? AND owner = ? RETURNING id`;
    const released = await this.database.execute(held, [dueAt, publishId, owner]);
    if (released.length > 0) return;
    await this.database.write(() => releasingRange(this.database.dialect, owner, publishId, dueAt));
  }

  finish(owner: string, publishId: string, now: number): Promise<boolean> {
    return this.database.write(() => this.finishing(owner, publishId, now));
  }

  backlog(now: number): Promise<Backlog> {
    return readBacklog(this.database, now);
  }

  async find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    const [row] = await this.database.read<PublishRow>(
      'SELECT * FROM rookery_publishes WHERE id = ? AND instance_id = ?',
      [publishId, instanceId],
    );
    if (!row) return undefined;
    const lanes = await this.database.read<LaneRow>(lanesOf, [publishId]);
    const record = claimOfRow(row, lanes.map(laneOfRow));
    return row.finished_at === null ? record : { ...record, finishedAt: Number(row.finished_at) };
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    const found = await this.database.read('SELECT 1 FROM rookery_publishes WHERE id = ? AND instance_id = ?', [
      publishId,
      instanceId,
    ]);
    return found.length > 0;
  }

  async latest(instanceId: string, limit: number, after?: PublishPlace): Promise<readonly Publish[]> {
    const beyond = after ? 'AND (created_at < ? OR (created_at = ? AND id < ?))' : '';
    const rows = await this.database.read<PublishRow>(
      `SELECT * FROM rookery_publishes WHERE instance_id = ? ${beyond} ORDER BY created_at DESC, id DESC LIMIT ?`,
      [instanceId, ...(after ? [after.createdAt, after.createdAt, after.id] : []), limit],
    );
    return rows.map((row) => claimOfRow(row, []).publish);
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
    for (let start = 0; start < publishIds.length; start += publishesAtOnce) {
      const some = publishIds.slice(start, start + publishesAtOnce);
      // What their own DELETE would remove with them, in one step.
      for (const id of some) await forgetOutcomesOf(this.database, id);
      await this.database.execute(named, [list(some)]);
    }
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

  /** Takes the key, or answers its owner. A concurrent request waits here until the other publish is committed. */
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

  private *claiming({ owner, now, leasedUntil, except }: Claim): Work<ClaimedPublish | undefined> {
    const { dialect } = this.database;
    const passed = passedBy(dialect, 'id', except);
    const [row] = yield* run<PublishRow>(
      `SELECT * FROM rookery_publishes WHERE due_at <= ? ${passed.text} ORDER BY due_at LIMIT 1 ${dialect.skipLocked}`,
      [now, ...passed.parameters],
    );
    if (!row) return undefined;
    yield* run('UPDATE rookery_publishes SET owner = ?, due_at = ? WHERE id = ?', [owner, leasedUntil, row.id]);
    const lanes = (yield* run<LaneRow>(lanesOf, [row.id])).map(laneOfRow);
    return claimOfRow(
      row,
      lanes.filter(({ from }) => from === undefined),
    );
  }

  private *claimingRange(claim: Claim): Work<ClaimedPublish | undefined> {
    const range = yield* takenRange(this.database.dialect, claim);
    if (!range) return undefined;
    const [row] = yield* run<PublishRow>('SELECT * FROM rookery_publishes WHERE id = ?', [range.publish_id]);
    return row && claimOfRow(row, [laneOfRow(range)]);
  }

  private *saving(owner: string, publishId: string, lane: Lane, change?: LaneChange): Work<Saved> {
    const { dialect } = this.database;
    const held = yield* lane.from === undefined
      ? this.held(owner, publishId)
      : heldRange(dialect, owner, publishId, lane.from);
    if (!held) return 'lost';
    const name = laneName(lane);
    yield* keepLane(publishId, lane);
    yield* settleRetries(dialect, publishId, name, change?.settled ?? []);
    yield* setRetries(publishId, name, change?.again ?? []);
    if (change?.outcomes) yield* keepOutcomes(publishId, lane.cursor, change.outcomes);
    if (change?.handedOver) yield* handOver(publishId, change.handedOver);
    if (held.cancelled_at !== null) return 'cancelled';
    return held.wanted_at === null || change?.handedOver ? 'saved' : 'wanted';
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
      `UPDATE rookery_publishes SET cancelled_at = ?,
         due_at = CASE WHEN owner IS NULL AND due_at IS NOT NULL THEN ? ELSE due_at END
       WHERE id = ?`,
      [now, now, publishId],
    );
    yield* run('UPDATE rookery_publish_ranges SET due_at = ? WHERE publish_id = ? AND owner IS NULL', [now, publishId]);
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
  private *held(owner: string, publishId: string): Work<PublishMarks | undefined> {
    const { forUpdate } = this.database.dialect;
    const held = `SELECT cancelled_at, wanted_at FROM rookery_publishes WHERE id = ? AND owner = ? ${forUpdate}`;
    const [row] = yield* run<PublishMarks>(held, [publishId, owner]);
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
