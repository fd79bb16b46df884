import { setTimeout as sleep } from 'node:timers/promises';
import { connected, type PostgresClient } from './connected.js';
import { Database } from './database.js';
import { postgres } from './dialect.js';
import { Notices } from './notices.js';
import { RecentTexts } from './recent-texts.js';
import { inSchemaOf } from './schema.js';
import { StatementFailed } from './statement-failed.js';
import { run, type Rows, type Statement, type Work } from './statement.js';

/** Serialization failure, deadlock, and a unique key that another transaction took first. */
const raceCodes = new Set(['40001', '40P01', '23505']);
const maxAttempts = 20;

/** From this number of parameters on, PostgreSQL must not compile the statement. */
const manyParameters = 16;

/** PostgreSQL 15 or later. */
export class PostgresDatabase extends Database {
  readonly dialect = postgres;
  private readonly notices = new Notices(this.dataSource);
  private readonly inSchema = inSchemaOf(this.dataSource);
  private readonly numberedTexts = new RecentTexts<string>();

  async read<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    if (parameters.length > manyParameters) return this.readUncompiled(text, parameters);
    return this.withRefusals(this.executeOnce<Row>(text, parameters));
  }

  /** For a statement with many parts, PostgreSQL would take longer to compile it than to run it. */
  private readUncompiled<Row>(text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.write(function* () {
      yield* run('SET LOCAL jit = off');
      return yield* run<Row>(text, parameters);
    });
  }

  override notify(name: string): void {
    this.notices.notify(name);
  }

  override listen(name: string, heard: () => void): () => Promise<void> {
    return this.notices.listen(name, heard);
  }

  /** A single statement is its own transaction. */
  override execute<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.retried(() => this.executeOnce<Row>(text, parameters));
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.retried(() => this.transaction(work));
  }

  private async executeOnce<Row>(text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const rows = await connected(this.dataSource, (client) => this.rowsOf(client, { text, parameters }));
    // The caller names the row type next to the returned columns.
    return rows as readonly Row[];
  }

  /** Runs it again from the start if another transaction interfered. */
  private async retried<T>(once: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once();
      } catch (error) {
        if (attempt === maxAttempts || !isRace(error)) throw this.refusal.of(error);
        await sleep(Math.random() * 5 * attempt);
      }
    }
  }

  private async withRefusals<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      throw this.refusal.of(error);
    }
  }

  private transaction<T>(work: () => Work<T>): Promise<T> {
    return connected(this.dataSource, async (client) => {
      await rowsOf(client, 'BEGIN');
      try {
        const result = await this.drive(client, work());
        await rowsOf(client, 'COMMIT');
        return result;
      } catch (error) {
        // On a lost connection, this fails, and PostgreSQL has rolled back.
        await rowsOf(client, 'ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  private async drive<T>(client: PostgresClient, statements: Work<T>): Promise<T> {
    let step = statements.next([]);
    while (!step.done) step = statements.next(await this.rowsOf(client, step.value));
    return step.value;
  }

  private rowsOf(client: PostgresClient, { text, parameters }: Statement): Promise<Rows> {
    return rowsOf(client, this.spelled(text), parameters);
  }

  /** `?` as `$1`, `$2`, … */
  override spelled(text: string): string {
    return this.numberedTexts.get(text, () => {
      let count = 0;
      return this.inSchema(text).replaceAll('?', () => `$${++count}`);
    });
  }
}

async function rowsOf(client: PostgresClient, text: string, parameters?: readonly unknown[]): Promise<Rows> {
  try {
    return (await client.query(text, parameters)).rows;
  } catch (error) {
    throw error instanceof Error ? new StatementFailed(error, text) : error;
  }
}

const isRace = (error: unknown): boolean => error instanceof StatementFailed && raceCodes.has(error.code ?? '');
