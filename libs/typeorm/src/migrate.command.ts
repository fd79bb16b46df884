#!/usr/bin/env node
import { openDatabase } from './database/open.js';
import { migrate } from './migrations/migrate.js';

// `rookery-migrate <url>`, or with the URL in DATABASE_URL: brings the tables up to date and says what it did.
const url = process.argv[2] ?? process.env['DATABASE_URL'];
if (!url) {
  console.error('usage: rookery-migrate <url>, such as sqlite:data/rookery.db or postgres://user@host/database');
  process.exit(2);
}
const { dataSource } = await openDatabase(url);
try {
  const applied = await migrate(dataSource);
  console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do');
} finally {
  await dataSource.destroy();
}
