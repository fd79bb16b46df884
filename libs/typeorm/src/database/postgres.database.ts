import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from './database.js';
import { postgres } from './dialect.js';
import { Notices } from './notices.js';
import type { PostgresClient } from './postgres-client.js';
import { PostgresConnections } from './postgres-connections.js';
import { RecentTexts } from './recent-texts.js';
import { inSchemaOf } from './schema.js';
import { StatementFailed } from './statement-failed.js';
import { run, type Rows, type Statement, type Work } from './statement.js';

/** Serialization failure, deadlock, and a unique key that another transaction took first. */
const raceCodes = new Set(['40001', '40P01', '23505']);
const maxAttempts = 20;

/** From this number of parameters on, PostgreSQL must not compile the statement. */
const manyParameters = 16;

/**
 * A transaction waits for nothing but its own statements. Of a process that is stopped within one, or cut off, PostgreSQL
 * rolls it back after this time, since other processes wait for its locks.
 */
const begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'";

/** PostgreSQL 15 or later. */
export class PostgresDatabase extends Database {
  readonly dialect = postgres;
  private readonly connections = new PostgresConnections(this.dataSource, () => this.isStarting);
  private readonly notices = new Notices(this.dataSource, this.connections);
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

  override get noticeSender(): string {
    return this.notices.sender;
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
    const rows = await this.connections.use((client) => this.rowsOf(client, { text, parameters }));
    // The caller names the row type next to the returned columns.
    return rows as readonly Row[];
  }

  protected override async closed(): Promise<void> {
    this.connections.stop();
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
    return this.connections.use(async (client) => {
      await this.connections.rowsOf(client, begin);
      try {
        const result = await this.drive(client, work());
        await this.connections.rowsOf(client, 'COMMIT');
        return result;
      } catch (error) {
        // On a lost connection, this fails, and PostgreSQL has rolled back.
        await this.connections.rowsOf(client, 'ROLLBACK').catch(() => undefined);
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
    return this.connections.rowsOf(client, this.spelled(text), parameters);
  }

  /** `?` as `$1`, `$2`, … */
  override spelled(text: string): string {
    return this.numberedTexts.get(text, () => {
      let count = 0;
      return this.inSchema(text).replaceAll('?', () => `$${++count}`);
    });
  }
}

const isRace = (error: unknown): boolean => error instanceof StatementFailed && raceCodes.has(error.code ?? '');
