import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { isBusy } from '../database/busy.js';

/** How long a process waits for another's migrations of a SQLite file. */
const patienceMs = 30_000;

/** Runs a work in a transaction that nothing else writes beside. */
export async function aloneOnSqlite<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  // TypeORM would begin a transaction that another process's write can break.
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

/** Tries again while another process, or the host on this very connection, has a transaction open. */
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

/** Of this connection's own transaction SQLite says so in a sentence. */
const isTransactionOpen = (error: unknown): boolean =>
  isBusy(error) || (error instanceof Error && error.message.includes('transaction'));
