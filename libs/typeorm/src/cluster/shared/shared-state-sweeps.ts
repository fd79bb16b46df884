import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Sweeps } from '#common';
import { Database } from '../../database/database.js';
import { portSweeps } from './shared-tables.js';

const everyMs = 20_000;
/** How long what has left is remembered, in microseconds. */
const rememberMicroseconds = 60_000_000;
/** How many keys of an app are remembered. */
const maxKeys = 100_000;
/** How often keys are counted, in intervals: all of them are read. */
const countEvery = 15;

/** Deletes what processes need not share any more. */
@Injectable()
export class SharedStateSweeps implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sweeps = new Sweeps(
    () => this.sweep(),
    everyMs,
    new Logger('Storage'),
    'Shared state that has expired was not deleted',
  );
  private count = 0;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.sweeps.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
  }

  async sweep(): Promise<void> {
    const before = Date.now() * 1000 - rememberMicroseconds;
    const lanes = await this.database.read<{ readonly lane: number }>(
      'SELECT DISTINCT lane FROM rookery_absences WHERE version < ?',
      [before],
    );
    for (const { lane } of lanes) await this.database.execute('SELECT rookery_forget(?, ?)', [lane, before]);
    await this.database.execute(deleteExpired, [before, before, before, before]);
    if (this.count++ % countEvery === 0) await this.database.execute(deleteOldestKeys, [maxKeys, maxKeys]);
  }
}

/** The rows of dead processes stay for a day, in which they may return. */
const deleteExpired = `WITH holders AS (DELETE FROM rookery_channel_holders WHERE vacated_at < ?),
  connections AS (DELETE FROM rookery_present_connections WHERE left_at < ?),
  unanswered AS (DELETE FROM rookery_unanswered WHERE stamp < ?),
  ${portSweeps.map((sweep, n) => `port_${n} AS (${sweep})`).join(', ')}
  DELETE FROM rookery_gone_nodes WHERE at < ? - 86400000000`;

const deleteOldestKeys = `DELETE FROM rookery_idempotency_keys k USING (
    SELECT a.app_id, (SELECT o.claimed_at FROM rookery_idempotency_keys o WHERE o.app_id = a.app_id
      ORDER BY o.claimed_at DESC OFFSET ? LIMIT 1) AS claimed_at
    FROM (SELECT app_id FROM rookery_idempotency_keys GROUP BY app_id HAVING count(*) > ?) AS a) AS old
  WHERE k.app_id = old.app_id AND k.claimed_at <= old.claimed_at`;
