import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: object;
    readonly workspaces?: readonly string[];
  };

/** The names that the packages export, such as `rookery/channels` and `@rookery/client`. */
const exported = new Set(
  ['.', ...manifestOf('.').workspaces!].flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    return Object.keys(exports).map((path) => name + path.slice(1));
  }),
);

/** What applications are written from: the pages, the files that they show, the examples, and the hosts of the package. */
const shown = ['README.md', ...['docs', 'examples', 'test/docs', 'test/package'].flatMap(filesIn)].filter(
  (path) => /\.(md|m?ts)$/.test(path) && !path.endsWith('.spec.ts'),
);

function filesIn(folder: string): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return all.filter((path) => !path.includes('node_modules')).map((path) => join(folder, path));
}

it('Applications import only modules that the packages export', () => {
  expect(shown.length).toBeGreaterThan(50);
  const imported = shown.flatMap((path) =>
    Array.from(
      readFileSync(join(root, path), 'utf8').matchAll(/['"](#(?:common|http|webhooks|events)|@?rookery\/[\w/-]+)['"]/g),
      ([, name]) => ({
        path,
        name: name!,
      }),
    ),
  );
  expect(imported.length).toBeGreaterThan(50);
  expect(imported.filter(({ name }) => !exported.has(name))).toEqual([]);
});
