import type { DataSource } from 'typeorm';
import { Database } from './database.js';
import { sqlite } from './dialect.js';
import type { SqliteConnection } from './sqlite.connection.js';
import { SqliteWaiting } from './sqlite-waiting.js';
import type { SqliteFiles } from './sqlite-files.js';
import { resultOf } from './sqlite-result.js';
import { SqliteWriter } from './sqlite.writer.js';
import type { Work } from './statement.js';
import type { Wal } from './wal.js';

/**
 * SQLite, from Node or a package. A transaction runs within one turn of the event loop, so no other statement on the
 * same connection, Rookery's or the host's, can get in between. It waits while another transaction is open, here or in
 * another process.
 */
export class SqliteDatabase extends Database {
  readonly dialect = sqlite;
  private readonly writer: SqliteWriter;
  private readonly waiting: SqliteWaiting;

  /** SQLite's error, once it has reported that the file is damaged. */
  private damage: unknown;

  constructor(
    dataSource: DataSource,
    private readonly connection: SqliteConnection,
    private readonly files: SqliteFiles | undefined,
    private readonly wal: Wal | undefined,
  ) {
    super(dataSource);
    this.waiting = new SqliteWaiting(connection, wal, () => this.isStarting);
    this.writer = new SqliteWriter(connection, this.waiting, wal);
  }

  async read<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    // The caller names the row type next to the selected columns.
    return this.withRefusals(
      this.waiting.whenFree(() => this.connection.rowsOf({ text, parameters }) as readonly Row[]),
    );
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.withRefusals(this.writer.write(work));
  }

  override async assertInPlace(): Promise<void> {
    if (this.damage !== undefined) throw this.damage;
    await this.files?.check();
  }

  protected override async closed(): Promise<void> {
    this.waiting.stop();
    await this.wal?.close();
  }

  private async withRefusals<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      const result = resultOf(error);
      if (result === 'corrupt' || result === 'noDatabase') this.damage ??= error;
      throw this.refusal.of(error);
    }
  }
}
