import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '../..');

/** What applications are written from: the pages, the files that they show, the examples, and the hosts of the package. */
const shown = ['README.md', ...['docs', 'examples', 'test/docs', 'test/package'].flatMap(filesIn)].filter(
  (path) => /\.(md|m?ts)$/.test(path) && !path.endsWith('.spec.ts'),
);

function filesIn(folder: string): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return all.filter((path) => !path.includes('node_modules')).map((path) => join(folder, path));
}

it('Applications import only modules that the package exports', () => {
  expect(shown.length).toBeGreaterThan(50);
  const imported = shown.flatMap((path) =>
    Array.from(readFileSync(join(root, path), 'utf8').matchAll(/['"](#common|rookery\/[\w/-]+)['"]/g), ([, name]) => ({
      path,
      name: name!.replace('rookery', '.'),
    })),
  );
  expect(imported.length).toBeGreaterThan(50);
  expect(imported.filter(({ name }) => !(name in packageJson.exports))).toEqual([]);
});
