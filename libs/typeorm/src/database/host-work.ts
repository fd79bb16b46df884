import type { EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm';
import type { HostTransaction, Within } from 'rookery/jobs';
import { dataSourceOf } from './data-source-of.js';
import type { Database } from './database.js';
import type { Rows, Statement, Work } from './statement.js';
import { withoutValues } from './statement-failed.js';

/** Runs a work within a transaction of the host's, on any data source of the same database. */
export async function workWithin<T>(
  database: Database,
  { transaction, committed }: Within,
  work: () => Work<T>,
): Promise<T> {
  const runner = runnerOf(database, transaction);
  const result = await withoutValues(drive(database, runner, work()));
  Commits.of(runner).await(runner, committed);
  return result;
}

/** @throws Error if it is not a transaction, or is one of another kind of database */
function runnerOf({ dialect }: Database, transaction: HostTransaction): QueryRunner {
  const { queryRunner } = transaction as Partial<EntityManager>;
  if (!queryRunner?.isTransactionActive)
    throw new Error(
      'within must be the EntityManager of a transaction that is under way: ' +
        'dataSource.transaction((manager) => events.trigger(app, event, { within: manager }))',
    );
  const { type } = dataSourceOf(queryRunner).options;
  const isSqlite = type === 'better-sqlite3' || type === ('sqlite' as string);
  if (type !== 'postgres' && !isSqlite) throw wrongDatabase(type, dialect.name);
  if (isSqlite !== (dialect.name === 'sqlite')) throw wrongDatabase(type, dialect.name);
  return queryRunner;
}

const wrongDatabase = (type: string, own: string): Error =>
  new Error(`within is a transaction on ${type}, and Rookery's tables are in ${own}: they must be in one database`);

async function drive<T>(database: Database, runner: QueryRunner, statements: Work<T>): Promise<T> {
  let step = statements.next([]);
  while (!step.done) step = statements.next(await rowsOf(database, runner, step.value));
  return step.value;
}

async function rowsOf(database: Database, runner: QueryRunner, { text, parameters }: Statement): Promise<Rows> {
  const { records } = await runner.query(database.spelled(text), [...parameters], true);
  return records as Rows;
}

/** Reports the commits of a data source, so that waiting work need not wait for the next poll. */
class Commits implements EntitySubscriberInterface {
  private readonly waiting = new WeakMap<QueryRunner, (() => void)[]>();

  /** Returns the subscriber of the runner's data source, which loses it when initialized again. */
  static of(runner: QueryRunner): Commits {
    const { subscribers } = dataSourceOf(runner);
    const known = subscribers.find((subscriber) => subscriber instanceof Commits);
    if (known) return known;
    const commits = new Commits();
    subscribers.push(commits);
    return commits;
  }

  await(runner: QueryRunner, committed: () => void): void {
    const others = this.waiting.get(runner);
    if (others) others.push(committed);
    else this.waiting.set(runner, [committed]);
  }

  afterTransactionCommit({ queryRunner }: { readonly queryRunner: QueryRunner }): void {
    // Only a savepoint was committed.
    if (queryRunner.isTransactionActive) return;
    for (const committed of this.take(queryRunner)) committed();
  }

  afterTransactionRollback({ queryRunner }: { readonly queryRunner: QueryRunner }): void {
    if (!queryRunner.isTransactionActive) this.take(queryRunner);
  }

  private take(runner: QueryRunner): readonly (() => void)[] {
    const found = this.waiting.get(runner) ?? [];
    this.waiting.delete(runner);
    return found;
  }
}
