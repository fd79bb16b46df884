import type { DataSource } from 'typeorm';
import { whenFree } from './busy.js';
import { Database } from './database.js';
import { sqlite } from './dialect.js';
import type { SqliteConnection } from './sqlite.connection.js';
import { SqliteWriter } from './sqlite.writer.js';
import type { Work } from './statement.js';

/**
 * SQLite, of Node or as a package. A transaction runs within one turn of the event loop, so neither Rookery's own nor the
 * host's statements on the same connection get between its own. It waits while another one is open, here or in another
 * process.
 */
export class SqliteDatabase extends Database {
  readonly dialect = sqlite;
  private readonly writer: SqliteWriter;

  constructor(
    dataSource: DataSource,
    private readonly connection: SqliteConnection,
  ) {
    super(dataSource);
    this.writer = new SqliteWriter(connection);
  }

  async read<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    // The caller names the row's type beside the columns that it selects.
    return whenFree(() => this.connection.rowsOf({ text, parameters }) as readonly Row[]);
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.writer.write(work);
  }
}
