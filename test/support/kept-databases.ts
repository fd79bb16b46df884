import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openDatabase } from 'rookery/internal/typeorm';
import type { WrittenDatabase } from './written-database.js';

/** The releases whose databases are in test/databases. Its README says how to add one. */
export const releases: readonly string[] = [];

const pathOf = (name: string): string => fileURLToPath(new URL(`../databases/${name}`, import.meta.url));

type Dialect = 'sqlite' | 'postgres';

/** What the writer said of a database. */
export const keptWork = (release: string, dialect: Dialect): WrittenDatabase =>
  JSON.parse(readFileSync(pathOf(`${release}.${dialect}.json`), 'utf8')) as WrittenDatabase;

/** Makes a database as a release left it: a new file, or the tables of a PostgreSQL that has none. */
export async function restore(release: string, url: string): Promise<void> {
  if (url.startsWith('sqlite:')) return copyFileSync(pathOf(`${release}.db`), url.slice('sqlite:'.length));
  const client = new Client(url);
  await client.connect();
  await client.query(readFileSync(pathOf(`${release}.sql`), 'utf8'));
  await client.end();
}

/** Keeps a database that was just written, when the environment names the release: `KEEP_DATABASES_OF=0.1.0`. */
export async function keepIfAsked(url: string, written: WrittenDatabase): Promise<void> {
  const release = process.env['KEEP_DATABASES_OF'];
  if (release === undefined) return;
  const isFile = url.startsWith('sqlite:');
  if (isFile) await keepFile(url, pathOf(`${release}.db`));
  else writeFileSync(pathOf(`${release}.sql`), dumpOf(url));
  const work = pathOf(`${release}.${isFile ? 'sqlite' : 'postgres'}.json`);
  writeFileSync(work, `${JSON.stringify(written, null, 2)}\n`);
}

async function keepFile(url: string, path: string): Promise<void> {
  const { dataSource } = await openDatabase(url);
  // With WAL the size of its pages could not change.
  for (const step of ['journal_mode = DELETE', 'page_size = 1024']) await dataSource.query(`PRAGMA ${step}`);
  await dataSource.query('VACUUM');
  await dataSource.destroy();
  copyFileSync(url.slice('sqlite:'.length), path);
}

/** Without the commands of psql. */
function dumpOf(url: string): string {
  const options = ['--inserts', '--rows-per-insert=50', '--no-owner', '--no-privileges', '--no-comments'];
  const dump = execFileSync('pg_dump', [...options, url], { encoding: 'utf8', maxBuffer: 1e8 });
  return dump.replaceAll(/^(\\.*|--.*|)\n/gm, '');
}
