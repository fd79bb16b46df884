import { rm, stat } from 'node:fs/promises';
import { DataSource } from 'typeorm';
import { isBusy } from './busy.js';
import type { Database } from './database.js';
import { sqliteDriver } from './node-sqlite.js';
import { SqliteConnection } from './sqlite.connection.js';

/**
 * Shows other processes that one has a SQLite file for itself: an exclusive lock on an empty file beside it. Containers
 * and machines that share the volume see it, and the operating system ends it with the process, however that ends.
 */
export class FileClaim {
  private constructor(
    private readonly path: string,
    private readonly holder: DataSource,
    private readonly connection: SqliteConnection,
  ) {}

  /** Returns undefined if another process has claimed it. */
  static async of(file: string): Promise<FileClaim | undefined> {
    const path = `${file}-owner`;
    for (;;) {
      const holder = new DataSource({ type: 'better-sqlite3', database: path, driver: sqliteDriver, timeout: 0 });
      const before = await inodeOf(path);
      await holder.initialize();
      const connection = await SqliteConnection.of(holder);
      try {
        connection.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        await holder.destroy();
        if (isBusy(error)) return undefined;
        throw error;
      }
      // The process before may have deleted what is locked here, so that others lock a new file.
      const claim = new FileClaim(path, holder, connection);
      if (before !== undefined && before === (await inodeOf(path))) return claim;
      await claim.unlock();
    }
  }

  async release(): Promise<void> {
    await rm(this.path, { force: true });
    await this.unlock();
  }

  /** A connection that is closed within a transaction would keep its lock for a while. */
  private async unlock(): Promise<void> {
    this.connection.exec('ROLLBACK');
    await this.holder.destroy();
  }
}

const inodeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.ino;

/** The path of a SQLite database; undefined for PostgreSQL and in memory. */
export async function fileOf(database: Database): Promise<string | undefined> {
  if (database.dialect.name !== 'sqlite') return undefined;
  const text = "SELECT file FROM pragma_database_list WHERE name = 'main'";
  const [row] = await database.read<{ readonly file: string | null }>(text);
  return row?.file || undefined;
}
