import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** What applications are written from: the pages, the files that they show, the examples, and the hosts of the package. */
const shown = ['README.md', ...['docs', 'examples', 'test/docs', 'test/package'].flatMap(filesIn)].filter(
  (path) => /\.(md|m?ts)$/.test(path) && !path.endsWith('.spec.ts'),
);

function filesIn(folder: string): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return all.filter((path) => !path.includes('node_modules')).map((path) => join(folder, path));
}

it('Applications need nothing of rookery/common, which is internal', () => {
  expect(shown.length).toBeGreaterThan(50);
  expect(shown.filter((path) => readFileSync(join(root, path), 'utf8').includes('rookery/common'))).toEqual([]);
});
