import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const libs = readdirSync(join(root, 'libs'));
const filesOf = (lib: string): readonly string[] =>
  readdirSync(join(root, 'libs', lib), { recursive: true, encoding: 'utf8' });
const allFiles = libs.flatMap(filesOf);

/** The texts in backticks that are paths, or names of files. */
const named = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, name]) => name!)
    .filter((name) => /^(src|libs|apps|test)\/|\.m?ts$/.test(name));

const isThere = (lib: string, name: string): boolean =>
  existsSync(join(root, 'libs', lib, name)) ||
  existsSync(join(root, name)) ||
  filesOf(lib).some((file) => file.endsWith(`/${name}`));

/** Classes in backticks: each must be one of the libs. */
const classes = (text: string): readonly string[] =>
  [...text.matchAll(/`([A-Z][a-z]\w+[A-Z]\w+)(?:\.\w+)?`/g)].map(([, name]) => name!);

const sources = libs
  .flatMap((lib) => filesOf(lib).map((file) => join(root, 'libs', lib, file)))
  .filter((file) => /\.m?ts$/.test(file) && !file.endsWith('.spec.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');
const isDeclared = (name: string): boolean => new RegExp(`\\b(class|interface|type|const) ${name}\\b`).test(sources);

describe.each(libs)('the README of %s', (lib) => {
  const text = (): string => readFileSync(join(root, 'libs', lib, 'README.md'), 'utf8');

  it('names only files and folders that exist', () => {
    expect(named(text()).length).toBeGreaterThan(0);
    expect(named(text()).filter((name) => !isThere(lib, name))).toEqual([]);
  });

  it('names only classes that exist', () => {
    expect(classes(text()).filter((name) => !isDeclared(name))).toEqual([]);
  });
});

it('finds a file and a class that do not exist', () => {
  const planted = '`src/nowhere.ts`, `gone.ts` and `NobodysService` (`src`)';
  expect(named(planted).filter((name) => !isThere('jobs', name))).toEqual(['src/nowhere.ts', 'gone.ts']);
  expect(classes(planted).filter((name) => !isDeclared(name))).toEqual(['NobodysService']);
  expect(allFiles.map((file) => basename(file))).toContain('job.store.ts');
});
