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

/** What only packages of this repository import, and no application. */
const isInternal = (name: string): boolean => name.startsWith('rookery/internal/');

/** The names that the packages export for applications, such as `rookery/channels` and `@rookery/client`. */
const exported = new Set(
  manifestOf('.')
    .workspaces!.map(manifestOf)
    .flatMap(({ name, exports }) => Object.keys(exports).map((path) => name + path.slice(1)))
    .filter((name) => !isInternal(name)),
);

/** What applications are written from: the pages, the files that they show, the examples, and the hosts of the package. */
const shown = ['README.md', ...['docs', 'examples', 'test/docs', 'test/package'].flatMap(filesIn)].filter(
  (path) => /\.(md|m?ts)$/.test(path) && !path.endsWith('.spec.ts'),
);

function filesIn(folder: string): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return all.filter((path) => !path.includes('node_modules')).map((path) => join(folder, path));
}

const named = /['"](#(?:common|http|webhooks|events)|@?rookery\/[\w/-]+)['"]/g;
/** Hosts install it for its command. */
const isServer = (name: string): boolean => name === '@rookery/server';
const importsOf = (text: string): string[] =>
  Array.from(text.matchAll(named), ([, name]) => name!).filter((name) => !isServer(name));

it('Applications import only modules that the packages export', () => {
  expect(shown.length).toBeGreaterThan(50);
  const imported = shown.flatMap((path) =>
    importsOf(readFileSync(join(root, path), 'utf8')).map((name) => ({ path, name })),
  );
  expect(imported.length).toBeGreaterThan(50);
  expect(imported.filter(({ name }) => !exported.has(name))).toEqual([]);
});

it('An import of what is internal, or of nothing, is found', () => {
  const planted = ['#common', 'rookery/internal/common', 'rookery/client', '@rookery/client/tabs'];
  const found = importsOf([...planted, 'rookery/channels'].map((name) => `import {} from '${name}';`).join('\n'));
  expect(found.filter((name) => !exported.has(name))).toEqual(planted);
});
