import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Database } from './database.js';
import { sqlite } from './dialect.js';
import type { Rows, Statement, Work } from './statement.js';

/** What is used of better-sqlite3: it works within the turn that calls it. */
interface Connection {
  readonly inTransaction: boolean;
  exec(text: string): unknown;
  prepare(text: string): Prepared;
}

interface Prepared {
  readonly reader: boolean;
  all(...parameters: readonly unknown[]): Rows;
  run(...parameters: readonly unknown[]): unknown;
}

/** How long a write waits for other writers before it gives up. */
const patienceMs = 30_000;

/**
 * SQLite through better-sqlite3. A transaction runs within one turn of the event loop, so neither Rookery's own nor the
 * host's statements on the same connection get between its own. It waits while another one is open, here or in another
 * process.
 */
export class SqliteDatabase extends Database {
  readonly dialect = sqlite;
  private readonly connection: Connection;
  private readonly prepared = new Map<string, Prepared>();

  constructor(dataSource: DataSource) {
    super(dataSource);
    // TypeORM keeps the one connection of a better-sqlite3 data source here.
    this.connection = (dataSource.driver as unknown as { readonly databaseConnection: Connection }).databaseConnection;
  }

  async read<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    // The caller names the row's type beside the columns that it selects.
    return this.rowsOf({ text, parameters }) as readonly Row[];
  }

  async write<T>(work: () => Work<T>): Promise<T> {
    const deadline = Date.now() + patienceMs;
    while (!this.begin(Date.now() < deadline)) await sleep(Math.random() * 10);
    try {
      const result = this.drive(work());
      this.connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Whether the transaction has begun. While there is patience, being busy is no error. */
  private begin(isPatient: boolean): boolean {
    if (this.connection.inTransaction && isPatient) return false;
    try {
      this.connection.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (isPatient && isBusy(error)) return false;
      throw error;
    }
  }

  private drive<T>(statements: Work<T>): T {
    let step = statements.next([]);
    while (!step.done) step = statements.next(this.rowsOf(step.value));
    return step.value;
  }

  private rowsOf({ text, parameters }: Statement): Rows {
    const prepared = this.prepared.get(text) ?? this.connection.prepare(text);
    if (this.prepared.size < 1000) this.prepared.set(text, prepared);
    const values = parameters.map((value) => value ?? null);
    if (prepared.reader) return prepared.all(...values);
    prepared.run(...values);
    return [];
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
