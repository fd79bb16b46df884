import { close, fdatasync, fstat, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { SqliteConnection } from './sqlite.connection.js';
import type { Statement } from './statement.js';

const [sync, statOf] = [promisify(fdatasync), promisify(fstat)];

interface Settings {
  readonly mode: string;
  readonly level: number;
}

const settings = 'SELECT journal_mode AS mode, synchronous AS level FROM pragma_journal_mode, pragma_synchronous';

const cutting: Statement = { text: 'PRAGMA wal_checkpoint(TRUNCATE)', parameters: [] };

interface Cut {
  readonly busy: number;
}

/** `PRAGMA synchronous = FULL` */
const full = 2;

/** From this size on, the log is cut as soon as no other connection uses it. */
export const maxLogBytes = 64 * 1024 * 1024;

/** The time between two looks at the log's size, and between attempts to cut it while nothing is written. */
const lookEveryMs = 100;

/**
 * The write-ahead log of an open SQLite database. SQLite itself would block the process while it waits for the disk at
 * each commit; this waits in another thread. A commit without SQLite's own wait is in the log, and durable once the log
 * is synced.
 *
 * SQLite starts the log over only when a write finds all of it copied to the database. While another process copies, a
 * commit here adds to it, and the other way round: two busy processes would let it grow without limit. So a log that is
 * too long is cut right after a commit, with the writers locked out.
 */
export class Wal {
  private file: number | undefined;
  /** Settles once the latest sync has ended. */
  synced: Promise<void> = Promise.resolve();
  /** Whether something waits for the disk. */
  isSyncing = false;
  private looking: NodeJS.Timeout | undefined;
  private isTooLong = false;

  private constructor(
    private readonly path: string,
    private readonly connection: SqliteConnection,
  ) {}

  /** Returns nothing where SQLite does not wait for the log at each commit: a host's own options may say so. */
  static of(connection: SqliteConnection): Wal | undefined {
    const [row] = connection.rowsOf({ text: settings, parameters: [] }) as readonly [Settings];
    const waits = row.mode === 'wal' && row.level === full;
    return waits ? new Wal(`${connection.file}-wal`, connection) : undefined;
  }

  /** Called after a commit: the file exists by then. Resolves when everything committed before is durable. */
  sync(): Promise<void> {
    // SQLite holds no lock on this file, which closing another handle would release.
    this.file ??= openSync(this.path, 'r+');
    // What is cut is durable in the database.
    if (this.isTooLong) this.cut();
    this.lookLater();
    this.isSyncing = true;
    this.synced = sync(this.file).finally(() => (this.isSyncing = false));
    return this.synced;
  }

  async close(): Promise<void> {
    clearTimeout(this.looking);
    const { file } = this;
    this.file = undefined;
    await this.synced.catch(() => undefined);
    if (file !== undefined) close(file);
  }

  private async look(): Promise<void> {
    this.looking = undefined;
    const { file } = this;
    if (file === undefined) return;
    this.isTooLong = (await statOf(file)).size > maxLogBytes;
    // Closed meanwhile, or left to the next commit.
    if (!this.isTooLong || this.file === undefined || this.connection.inTransaction) return;
    this.cut();
    if (this.isTooLong) this.lookLater();
  }

  private lookLater(): void {
    this.looking ??= setTimeout(() => void this.look().catch(() => undefined), lookEveryMs).unref();
  }

  /** Copies all of it to the database and empties it, unless another connection reads or writes. */
  private cut(): void {
    // The next attempt follows soon: until then, neither this process nor the other one waits.
    const [{ busy }] = this.connection.withoutWaiting(() => this.connection.rowsOf(cutting)) as readonly [Cut];
    this.isTooLong = busy !== 0;
  }
}
