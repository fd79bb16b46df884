import type { DataSource } from 'typeorm';
import { RecentTexts } from './recent-texts.js';
import type { Rows, Statement, Work } from './statement.js';

/** The part of better-sqlite3, or of its replacement, that Rookery uses: all calls are synchronous. */
interface Driver {
  readonly inTransaction: boolean;
  exec(text: string): unknown;
  prepare(text: string): Prepared;
}

interface Prepared {
  readonly reader: boolean;
  all(...parameters: readonly unknown[]): Rows;
  run(...parameters: readonly unknown[]): unknown;
}

const busyTimeout: Statement = { text: 'PRAGMA busy_timeout', parameters: [] };

/** The single connection of a better-sqlite3 data source, without TypeORM's promises. */
export class SqliteConnection {
  private readonly prepared = new RecentTexts<Prepared>();

  private constructor(private readonly driver: Driver) {}

  static async of(dataSource: DataSource): Promise<SqliteConnection> {
    // TypeORM has one query runner for the connection, so there is none to release.
    return new SqliteConnection((await dataSource.createQueryRunner().connect()) as Driver);
  }

  /** The path; empty for a database in memory. */
  get file(): string {
    const text = "SELECT file FROM pragma_database_list WHERE name = 'main'";
    const [row] = this.rowsOf({ text, parameters: [] }) as readonly { readonly file: string | null }[];
    return row?.file ?? '';
  }

  get inTransaction(): boolean {
    return this.driver.inTransaction;
  }

  exec(text: string): void {
    this.driver.exec(text);
  }

  /** Runs what fails at once, instead of after a while, if another process holds the file. */
  withoutWaiting<T>(attempt: () => T): T {
    const [{ timeout }] = this.rowsOf(busyTimeout) as readonly [{ readonly timeout: number }];
    this.exec('PRAGMA busy_timeout = 0');
    try {
      return attempt();
    } finally {
      this.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }

  rowsOf({ text, parameters }: Statement): Rows {
    const prepared = this.prepared.get(text, () => this.driver.prepare(text));
    const values = parameters.map((value) => value ?? null);
    if (prepared.reader) return prepared.all(...values);
    prepared.run(...values);
    return [];
  }

  /** Runs all statements of a work and returns its result. */
  drive<T>(statements: Work<T>): T {
    let step = statements.next([]);
    while (!step.done) step = statements.next(this.rowsOf(step.value));
    return step.value;
  }
}
