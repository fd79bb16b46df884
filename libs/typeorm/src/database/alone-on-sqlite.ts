import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { isBusy } from './busy.js';

/** How long a process waits for another's migrations of a SQLite file. */
const patienceMs = 30_000;

/** Runs a work in a transaction that excludes all other writers. */
export async function aloneOnSqlite<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  // TypeORM would begin a deferred transaction, which a write of another process can break.
  await patiently(() => runner.query('BEGIN EXCLUSIVE'));
  try {
    const result = await work();
    await runner.query('COMMIT');
    return result;
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

/** Retries while another process, or the host on this same connection, has a transaction open. */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline || !isTransactionOpen(error)) throw error;
    }
    await sleep(50);
  }
}

/** SQLite reports this connection's own transaction only in a message. */
const isTransactionOpen = (error: unknown): boolean =>
  isBusy(error) || (error instanceof Error && error.message.includes('transaction'));
