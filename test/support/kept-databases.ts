import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openDatabase } from 'rookery/typeorm';
import type { WrittenDatabase } from './written-database.js';

/** The revisions whose databases are in test/databases. Its README says how to add one. */
export const revisions = ['53a265f'] as const;

const pathOf = (name: string): string => fileURLToPath(new URL(`../databases/${name}`, import.meta.url));

type Dialect = 'sqlite' | 'postgres';

/** What the writer said of a database. */
export const keptWork = (revision: string, dialect: Dialect): WrittenDatabase =>
  JSON.parse(readFileSync(pathOf(`${revision}.${dialect}.json`), 'utf8')) as WrittenDatabase;

/** Makes a database as a revision left it: a new file, or the tables of a PostgreSQL that has none. */
export async function restore(revision: string, url: string): Promise<void> {
  if (url.startsWith('sqlite:')) return copyFileSync(pathOf(`${revision}.db`), url.slice('sqlite:'.length));
  const client = new Client(url);
  await client.connect();
  await client.query(readFileSync(pathOf(`${revision}.sql`), 'utf8'));
  await client.end();
}

/** Keeps a database that was just written, when the environment names the revision: `KEEP_DATABASES_OF=0.1.0`. */
export async function keepIfAsked(url: string, written: WrittenDatabase): Promise<void> {
  const revision = process.env['KEEP_DATABASES_OF'];
  if (revision === undefined) return;
  const isFile = url.startsWith('sqlite:');
  if (isFile) await keepFile(url, pathOf(`${revision}.db`));
  else writeFileSync(pathOf(`${revision}.sql`), dumpOf(url));
  const work = pathOf(`${revision}.${isFile ? 'sqlite' : 'postgres'}.json`);
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
