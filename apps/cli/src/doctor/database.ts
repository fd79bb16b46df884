import { existsSync, statSync } from 'node:fs';
import {
  type Database,
  DatabaseUnavailable,
  openDatabase,
  pendingMigrations,
  type SqliteJournal,
  sqliteJournal,
  StorageHealth,
} from 'rookery/typeorm';
import type { ServerConfig } from '../../../server/src/config/config.js';
import { lineOf } from '../fault.js';
import { about, clockFinding, type Finding, type Findings } from './finding.js';

const say = about('database');

/** Whether the database can be opened, has the tables of this version, and takes writes. */
export async function* databaseFindings({ databaseUrl }: ServerConfig): Findings {
  const [, file] = /^sqlite:(.+)$/.exec(databaseUrl) ?? [];
  if (file !== undefined && file !== ':memory:' && !existsSync(file)) {
    yield say.note(`${databaseUrl} is not there yet: the server makes it when it starts`);
    return;
  }
  let database: Database | undefined;
  try {
    database = await openDatabase(databaseUrl);
    yield say.ok('it can be opened');
    const journal = await sqliteJournal(database);
    if (journal) yield journalFinding(journal);
    if (file !== undefined && existsSync(file)) yield* modeFindings(file);
    yield* contentFindings(database);
  } catch (error) {
    const fault =
      error instanceof DatabaseUnavailable ? error.naming('DATABASE_URL') : `DATABASE_URL: ${lineOf(error)}`;
    yield say.fault(
      fault,
      'Name a database that can be reached from here, with its user and password, in DATABASE_URL',
    );
  } finally {
    await database?.dataSource.destroy();
  }
}

/** Whether this SQLite has the WAL-reset bug, and what the server does about it. */
export function journalFinding({ version, mode, hasBug }: SqliteJournal): Finding {
  if (!hasBug) return say.ok(`SQLite ${version}, journal mode ${mode}`);
  return say.note(
    `SQLite ${version} can corrupt a WAL database that several processes write, so the server keeps a rollback ` +
      'journal, which is safe and slower. A newer Node has a SQLite without this bug (3.51.3 or later)',
  );
}

/** It has secrets and tokens as they are. */
function* modeFindings(file: string): Generator<Finding> {
  // On Windows the bits say nothing.
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  yield say.fault(`${file} is open to other users of this machine`, `chmod 600 ${file} ${file}-wal ${file}-shm`);
}

async function* contentFindings(database: Database): Findings {
  const pending = await pendingMigrations(database.dataSource);
  if (pending.length > 0) {
    const fix = 'Run `npx rookery migrate`, or start the server, which does the same';
    yield say.fault(`${pending.length} migrations are not applied: ${pending.join(', ')}`, fix);
    return;
  }
  yield say.ok('its tables are up to date');
  const refusal = await new StorageHealth(database).check(5000).then(
    () => undefined,
    (error: unknown) => lineOf(error),
  );
  if (refusal === undefined) yield say.ok('it takes writes');
  else yield say.fault(`it takes no writes: ${refusal}`, 'Make room on its disk; name the primary, not a replica');
  if (database.dataSource.options.type === 'postgres') yield await clock(database);
}

async function clock(database: Database) {
  const before = Date.now();
  const [row] = await database.read<{ readonly ms: string }>(
    'SELECT extract(epoch from clock_timestamp()) * 1000 AS ms',
  );
  return clockFinding('database', 'its', Number(row!.ms), before, Date.now());
}
