import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Database,
  DatabaseUnavailable,
  openDatabase,
  pendingMigrations,
  type SqliteJournal,
  sqliteJournal,
  StorageHealth,
} from 'rookery/internal/typeorm';
import type { ServerConfig } from '../../../server/src/config/config.js';
import { lineOf } from '../fault.js';
import { sizeText } from '../size-text.js';
import { earlierKeyFindings } from './earlier-keys.js';
import { about, aliveOn, clockFinding, type Finding, type Findings } from './finding.js';

const say = about('database');

/** Checks whether the database can be opened, has the tables of this version, and takes writes. */
export async function* databaseFindings({ databaseUrl, instances, redis }: ServerConfig): Findings {
  const [, file] = /^sqlite:(.+)$/.exec(databaseUrl) ?? [];
  if (file !== undefined && file !== ':memory:' && !existsSync(file)) {
    yield say.note(`${databaseUrl} does not exist yet: the server creates it when it starts`);
    return;
  }
  let database: Database | undefined;
  try {
    database = await openDatabase(databaseUrl);
    yield say.ok('it can be opened');
    const journal = await sqliteJournal(database);
    if (journal) yield journalFinding(journal);
    if (file !== undefined && existsSync(file)) {
      yield* modeFindings(file);
      const { bavail, bsize } = statfsSync(dirname(file));
      yield roomFinding(sizeOf(file), bavail * bsize);
      yield await damageFinding(database);
    }
    yield* contentFindings(database, { instances, redis });
  } catch (error) {
    const fault =
      error instanceof DatabaseUnavailable ? error.naming('DATABASE_URL') : `DATABASE_URL: ${lineOf(error)}`;
    yield say.fault(fault, 'Set DATABASE_URL to a database that is reachable from here, with its user and password');
  } finally {
    await database?.dataSource.destroy();
  }
}

/** Reports whether this SQLite has the WAL-reset bug, and what the server does about it. */
export function journalFinding({ version, mode, hasBug }: SqliteJournal): Finding {
  if (!hasBug) return say.ok(`SQLite ${version}, journal mode ${mode}`);
  return say.note(
    `SQLite ${version} can corrupt a WAL database that several processes write, so the server keeps a rollback ` +
      'journal, which is safe and slower. A newer Node has a SQLite without this bug (3.51.3 or later)',
  );
}

/** The file contains secrets and tokens in clear text. */
function* modeFindings(file: string): Generator<Finding> {
  // On Windows the mode bits have no meaning.
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  yield say.fault(`${file} is open to other users of this machine`, `chmod 600 ${file} ${file}-wal ${file}-shm`);
}

const sizeOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Checks whether the disk has room to grow: migrations copy the file first. */
export function roomFinding(bytes: number, free: number): Finding {
  const text = `${sizeText(bytes)} used, ${sizeText(free)} free`;
  if (free >= Math.max(bytes, minRoom)) return say.ok(text);
  return say.fault(text, `Make room for ${sizeText(Math.max(bytes, minRoom))}: migrations copy the file first`);
}

const minRoom = 100e6;

/** Reads the whole file, because damage to a page that no query reads goes unnoticed otherwise. */
async function damageFinding(database: Database): Promise<Finding> {
  const found = await database.read<{ readonly quick_check: string }>('PRAGMA quick_check(1)').then(
    ([row]) => row?.quick_check ?? 'no answer',
    (error: unknown) => lineOf(error),
  );
  if (found === 'ok') return say.ok('its file is not damaged');
  return say.fault(
    `its file is damaged: ${found.replaceAll(/\s+/g, ' ')}`,
    'Stop the server, and run `npx rookery restore` with a copy that `npx rookery backup` made',
  );
}

async function* contentFindings(
  database: Database,
  { instances, redis }: Pick<ServerConfig, 'instances' | 'redis'>,
): Findings {
  const pending = await pendingMigrations(database.dataSource).catch(lineOf);
  if (typeof pending === 'string') {
    yield say.fault(pending, 'Name another database in DATABASE_URL');
    return;
  }
  if (pending.length > 0) {
    const fix = 'Run `npx rookery migrate`, or start the server, which migrates too';
    yield say.fault(`${pending.length} migrations are not applied: ${pending.join(', ')}`, fix);
    return;
  }
  yield say.ok('its tables are up to date');
  const refusal = await new StorageHealth(database).check(5000).then(
    () => undefined,
    (error: unknown) => lineOf(error),
  );
  if (refusal === undefined) yield say.ok('it takes writes');
  else yield say.fault(`it takes no writes: ${refusal}`, 'Free space on its disk; use the primary, not a replica');
  yield* earlierKeyFindings(database, instances);
  if (!redis) yield await clusterFinding(database);
  if (database.dataSource.options.type !== 'postgres') return;
  yield await clock(database);
  const [row] = await database.read<{ readonly bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
  yield say.ok(`${sizeText(Number(row!.bytes))} used`);
}

async function clusterFinding(database: Database): Promise<Finding> {
  const say = about('cluster');
  if (database.dataSource.options.type !== 'postgres')
    return say.ok('alone: others need PostgreSQL or Redis, and WORKERS uses more cores of this machine');
  const [row] = await database.read<{ readonly alive: string }>(
    'SELECT count(*) AS alive FROM rookery_nodes WHERE ends_at > rookery_clock() / 1000',
  );
  return say.ok(aliveOn('PostgreSQL', Number(row!.alive)));
}

async function clock(database: Database) {
  const before = Date.now();
  const [row] = await database.read<{ readonly ms: string }>(
    'SELECT extract(epoch from clock_timestamp()) * 1000 AS ms',
  );
  return clockFinding('database', 'its', Number(row!.ms), before, Date.now());
}
