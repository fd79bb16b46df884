import type { Database } from './database.js';
import { isBusy } from './busy.js';
import { maxLogBytes } from './wal.js';

/**
 * SQLite's WAL-reset bug: if several connections write and one restarts the WAL, the database can become corrupted. It
 * affects 3.7.0 to 3.51.2, except the fixed 3.44.6 and 3.50.7.
 */
export function hasWalResetBug(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3 || minor < 7 || minor > 51) return false;
  const mendedIn: Readonly<Record<number, number>> = { 44: 6, 50: 7, 51: 3 };
  return patch < (mendedIn[minor] ?? Infinity);
}

/** The connection, just opened by the driver. */
interface Opened {
  prepare(text: string): { all(): readonly unknown[] };
  pragma(text: string): unknown;
}

/**
 * Chooses the journal of Rookery's own database: the WAL or, where this SQLite has the WAL-reset bug, a rollback
 * journal, which is safe with any number of writing processes. With both, acknowledged writes survive a power cut.
 */
export function prepareSqlite(connection: Opened): void {
  const { version } = connection.prepare('SELECT sqlite_version() AS version').all()[0] as { readonly version: string };
  if (hasWalResetBug(version)) leaveWal(connection, version);
  else connection.pragma('journal_mode = WAL');
  // What is left of the log's file when SQLite starts the log over.
  connection.pragma(`journal_size_limit = ${maxLogBytes}`);
  connection.pragma('synchronous = FULL');
}

/** Works only while no other connection has the file open in WAL mode. */
function leaveWal(connection: Opened, version: string): void {
  try {
    connection.pragma('journal_mode = TRUNCATE');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(
      `another process has it open in WAL mode, and SQLite ${version} can corrupt it when several write: ` +
        'stop the other one, or use a newer Node, with SQLite 3.51.3 or later',
      { cause: error },
    );
  }
}

/** The journal of a SQLite database. */
export interface SqliteJournal {
  readonly version: string;
  /** `wal`, or another of SQLite's journal modes. */
  readonly mode: string;
  /** Whether the mode is `wal` and this SQLite can corrupt it if several connections write. */
  readonly hasBug: boolean;
}

/** Returns undefined for PostgreSQL. */
export async function sqliteJournal(database: Database): Promise<SqliteJournal | undefined> {
  if (database.dialect.name !== 'sqlite') return undefined;
  const [row] = await database.read<{ readonly version: string }>('SELECT sqlite_version() AS version');
  const [journal] = await database.read<{ readonly journal_mode: string }>('PRAGMA journal_mode');
  const { version } = row!;
  const mode = journal!.journal_mode;
  return { version, mode, hasBug: hasWalResetBug(version) };
}
