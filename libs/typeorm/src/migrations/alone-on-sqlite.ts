import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { isBusy } from '../database/busy.js';

/** How long a process waits for another's migrations of a SQLite file. */
const patienceMs = 30_000;

/**
 * Runs a work in a transaction that nothing else writes beside, with foreign keys off: to change a table, TypeORM makes it
 * anew and drops the old one, whose rows would take with them all that refers to them. Before the commit it looks whether
 * the keys hold.
 */
export async function aloneOnSqlite<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  const before = await foreignKeys(runner);
  try {
    await patiently(() => beginWithoutKeys(runner));
    try {
      const result = await work();
      await checkKeys(runner);
      await runner.query('COMMIT');
      return result;
    } catch (error) {
      await runner.query('ROLLBACK');
      throw error;
    }
  } finally {
    await runner.query(`PRAGMA foreign_keys = ${before}`);
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

/** TypeORM would begin a transaction that another process's write can break. */
async function beginWithoutKeys(runner: QueryRunner): Promise<void> {
  await runner.query('PRAGMA foreign_keys = OFF');
  await runner.query('BEGIN EXCLUSIVE');
  // The pragma does nothing within a transaction, and one of the host's may have ended only now.
  if ((await foreignKeys(runner)) === 0) return;
  await runner.query('ROLLBACK');
  throw new Error('Foreign keys cannot be turned off: a transaction is open on this connection all the time');
}

async function foreignKeys(runner: QueryRunner): Promise<number> {
  const [row] = (await runner.query('PRAGMA foreign_keys')) as [{ foreign_keys: number }];
  return row.foreign_keys;
}

/** Only of Rookery's tables: what a host's refer to is the host's business. */
async function checkKeys(runner: QueryRunner): Promise<void> {
  const strays = (await runner.query(
    `SELECT DISTINCT "table" AS name FROM pragma_foreign_key_check WHERE "table" LIKE 'rookery\\_%' ESCAPE '\\'`,
  )) as readonly { readonly name: string }[];
  if (strays.length === 0) return;
  const names = strays.map(({ name }) => name).join(', ');
  throw new Error(`The migrations are undone: they would leave rows in ${names} that refer to missing rows`);
}
