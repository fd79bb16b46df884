import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { SqliteConnection } from './sqlite.connection.js';

const sync = promisify(fdatasync);

interface Settings {
  readonly mode: string;
  readonly level: number;
}

const settings = 'SELECT journal_mode AS mode, synchronous AS level FROM pragma_journal_mode, pragma_synchronous';

/** `PRAGMA synchronous = FULL` */
const full = 2;

/**
 * The write-ahead log of an open SQLite database. SQLite itself would block the process while it waits for the disk at
 * each commit; this waits in another thread. A commit without SQLite's own wait is in the log, and durable once the log
 * is synced.
 */
export class Wal {
  private file: number | undefined;
  private syncing: Promise<void> = Promise.resolve();

  private constructor(private readonly path: string) {}

  /** Returns nothing where SQLite does not wait for the log at each commit: a host's own options may say so. */
  static of(connection: SqliteConnection): Wal | undefined {
    const [row] = connection.rowsOf({ text: settings, parameters: [] }) as readonly [Settings];
    const waits = row.mode === 'wal' && row.level === full;
    return waits ? new Wal(`${connection.file}-wal`) : undefined;
  }

  /** Called after a commit: the file exists by then. Resolves when everything committed before is durable. */
  sync(): Promise<void> {
    // SQLite holds no lock on this file, which closing another handle would release.
    this.file ??= openSync(this.path, 'r+');
    this.syncing = sync(this.file);
    return this.syncing;
  }

  async close(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await this.syncing.catch(() => undefined);
    if (file !== undefined) close(file);
  }
}
