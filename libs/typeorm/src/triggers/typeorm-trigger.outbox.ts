import { Injectable } from '@nestjs/common';
import {
  type CommittedEvent,
  type OutgoingEvent,
  type RelayClaim,
  type TriggerBacklog,
  TriggerOutbox,
} from 'rookery/channels';
import { storable } from '#common';
import type { Within } from 'rookery/jobs';
import { Database } from '../database/database.js';
import type { Dialect } from '../database/dialect.js';
import { run, type Work } from '../database/statement.js';

/** Tells other processes that a transaction with events was committed. */
const due = 'rookery_triggers_due';

/** How long a buried event is kept, in milliseconds, and how many are deleted at a time. */
const keptMs = 14 * 86_400_000;
const deletedPerBatch = 100;

interface TriggerRow {
  readonly id: string;
  readonly position: number | string;
  readonly app_id: string;
  readonly channel: string;
  readonly name: string;
  readonly data: string;
  readonly socket_id: string | null;
  readonly created_at: number | string;
}

/** In the host's database, in the transactions of any data source that reaches it. */
@Injectable()
export class TypeOrmTriggerOutbox extends TriggerOutbox {
  constructor(private readonly database: Database) {
    super();
  }

  async add(events: readonly OutgoingEvent[], within: Within): Promise<void> {
    const committed = (): void => {
      this.database.notify(due);
      within.committed();
    };
    await this.database.writeWithin({ ...within, committed }, () => this.adding(events));
  }

  override watch(wake: () => void): (() => Promise<void>) | undefined {
    return this.database.listen(due, wake);
  }

  /** Most claims find nothing, so it reads before it writes. */
  async claim(claim: RelayClaim): Promise<readonly CommittedEvent[]> {
    // The host may close its data source before the relay stops: another process then claims the rest.
    if (!this.database.dataSource.isInitialized) return [];
    const any = 'SELECT id FROM rookery_triggers WHERE position > ? ORDER BY position LIMIT 1';
    const found = await this.database.read(any, [claim.after]);
    return found.length > 0 ? this.database.write(() => claiming(claim)) : [];
  }

  async done(owner: string, ids: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    await this.database.execute(`DELETE FROM rookery_triggers WHERE id IN (SELECT value FROM ${each}) AND ${isRelay}`, [
      list(ids),
      owner,
    ]);
  }

  async bury(owner: string, id: string, reason: string, now: number): Promise<void> {
    await this.database.write(() => burying(owner, id, reason, now, this.database.dialect));
  }

  async release(owner: string): Promise<void> {
    await this.database.execute('DELETE FROM rookery_trigger_relays WHERE owner = ?', [owner]);
  }

  async backlog(): Promise<TriggerBacklog> {
    const [row] = await this.database.read<{ events: number | string; oldest: number | string | null }>(
      'SELECT COUNT(*) AS events, MIN(created_at) AS oldest FROM rookery_triggers WHERE position > 0',
    );
    const oldest = row?.oldest ?? undefined;
    return { events: Number(row?.events ?? 0), ...(oldest !== undefined && { oldestAt: Number(oldest) }) };
  }

  /** One statement for all channels of a trigger, which can be a hundred. */
  private *adding(events: readonly OutgoingEvent[]): Work<void> {
    const { nextPosition } = this.database.dialect;
    const rows = events.map((_, index) => `(?, ${nextPosition(index + 1)}, ?, ?, ?, ?, ?, ?)`);
    if (events.length > 0)
      yield* run(
        `INSERT INTO rookery_triggers (id, position, app_id, channel, name, data, socket_id, created_at)
         VALUES ${rows.join(', ')}`,
        events.flatMap(({ id, appId, channel, name, data, socketId, createdAt }) => [
          id,
          appId,
          channel,
          name,
          data,
          socketId ?? null,
          createdAt,
        ]),
      );
  }
}

/** The fence: only the current relay may change events. */
const isRelay = 'EXISTS (SELECT 1 FROM rookery_trigger_relays WHERE owner = ?)';

function* claiming({ owner, now, leaseMs, after, limit }: RelayClaim): Work<readonly CommittedEvent[]> {
  const leased = yield* run(
    `INSERT INTO rookery_trigger_relays AS relay (name, owner, leased_until) VALUES ('triggers', ?, ?)
     ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, leased_until = excluded.leased_until
     WHERE relay.owner = excluded.owner OR relay.leased_until <= ?
     RETURNING owner`,
    [owner, now + leaseMs, now],
  );
  if (leased.length === 0) return [];
  const rows = yield* run<TriggerRow>(
    `SELECT id, position, app_id, channel, name, data, socket_id, created_at FROM rookery_triggers
     WHERE position > ? ORDER BY position LIMIT ?`,
    [after, limit],
  );
  return rows.map(eventOf);
}

function* burying(owner: string, id: string, reason: string, now: number, { forUpdate }: Dialect): Work<void> {
  // Locked until the commit, so that no other relay gets the event meanwhile.
  const relays = yield* run(`SELECT owner FROM rookery_trigger_relays WHERE owner = ? ${forUpdate}`, [owner]);
  if (relays.length > 0)
    yield* run('UPDATE rookery_triggers SET position = 0, reason = ?, buried_at = ? WHERE id = ? AND position > 0', [
      storable(reason),
      now,
      id,
    ]);
  yield* run(
    `DELETE FROM rookery_triggers WHERE id IN (
       SELECT id FROM rookery_triggers WHERE position = 0 AND buried_at < ? LIMIT ?)`,
    [now - keptMs, deletedPerBatch],
  );
}

const eventOf = (row: TriggerRow): CommittedEvent => ({
  id: row.id,
  position: Number(row.position),
  appId: row.app_id,
  channel: row.channel,
  name: row.name,
  data: row.data,
  ...(row.socket_id !== null && { socketId: row.socket_id }),
  createdAt: Number(row.created_at),
});
