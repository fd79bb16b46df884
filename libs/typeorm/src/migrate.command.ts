#!/usr/bin/env node
import { openDatabase } from './database/open.js';
import { migrate } from './migrations/migrate.js';

/** `rookery-migrate <url>`, or with the URL in DATABASE_URL: brings the tables up to date and says what it did. */
async function command(url: string | undefined): Promise<void> {
  if (!url) {
    console.error('usage: rookery-migrate <url>, such as sqlite:data/rookery.db or postgres://user@host/database');
    process.exitCode = 2;
    return;
  }
  const { dataSource } = await openDatabase(url);
  try {
    const applied = await migrate(dataSource);
    console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do');
  } finally {
    await dataSource.destroy();
  }
}

void command(process.argv[2] ?? process.env['DATABASE_URL']);
