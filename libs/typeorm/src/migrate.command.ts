#!/usr/bin/env node
import { openDatabase } from './database/open.js';
import { unavailable } from './database/database-unavailable.js';
import { migrate } from './migrations/migrate.js';

const usage = `usage: rookery-migrate [<url>]

Brings Rookery's tables up to date, and says which migrations it applied.

  <url>   sqlite:data/rookery.db or postgres://user:password@host/database;
          the variable DATABASE_URL when it is left out

It may run at any time, any number of times, and by several processes at once.
Exit code: 0 when the tables are up to date, 1 when they could not be brought
there, 2 when it was called in another way.
`;

/** Runs the command; answers its exit code. */
async function command(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return said(process.stdout, usage, 0);
  const [url = process.env['DATABASE_URL']] = args;
  if (!url || args.length > 1 || url.startsWith('-')) return said(process.stderr, usage, 2);
  try {
    const names = await applied(url);
    return said(process.stdout, names.length > 0 ? `applied ${names.join(', ')}\n` : 'nothing to do\n', 0);
  } catch (error) {
    const fault = unavailable(url, error).naming(args.length > 0 ? 'url' : 'DATABASE_URL');
    return said(process.stderr, `rookery-migrate: ${fault}\n`, 1);
  }
}

async function applied(url: string): Promise<readonly string[]> {
  const { dataSource } = await openDatabase(url);
  try {
    return await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function said(to: NodeJS.WriteStream, text: string, code: number): number {
  to.write(text);
  return code;
}

void command(process.argv.slice(2)).then((code) => (process.exitCode = code));
