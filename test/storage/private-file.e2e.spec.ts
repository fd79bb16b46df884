import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { migrate, openDatabase } from 'rookery/internal/typeorm';

const folder = mkdtempSync(join(tmpdir(), 'rookery-private-'));
afterAll(() => rmSync(folder, { recursive: true }));

const mode = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8);

it('creates a SQLite file, its side files and folders for their owner only', async () => {
  const { dataSource } = await openDatabase(`sqlite:${join(folder, 'data', 'deep', 'rookery.db')}`);
  await migrate(dataSource);
  expect(['rookery.db', 'rookery.db-wal', 'rookery.db-shm'].map((name) => mode('data', 'deep', name))).toEqual(
    Array(3).fill('600'),
  );
  expect([mode('data'), mode('data', 'deep')]).toEqual(['700', '700']);
  await dataSource.destroy();
});

it('leaves the modes of an existing folder and file', async () => {
  mkdirSync(join(folder, 'shared'));
  writeFileSync(join(folder, 'shared', 'rookery.db'), '');
  chmodSync(join(folder, 'shared'), 0o755);
  chmodSync(join(folder, 'shared', 'rookery.db'), 0o640);
  const { dataSource } = await openDatabase(`sqlite:${join(folder, 'shared', 'rookery.db')}`);
  await migrate(dataSource);
  expect([mode('shared'), mode('shared', 'rookery.db'), mode('shared', 'rookery.db-wal')]).toEqual([
    '755',
    '640',
    '640',
  ]);
  await dataSource.destroy();
});
