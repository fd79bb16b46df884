import { readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, inject } from 'vitest';
import { folderIn, type NodeLine } from './workshop.js';

const workshop = inject('workshop');
const tarballs = inject('tarballs');

/** The names of all packed packages; none where nothing can be installed. */
export const packageNames = (): readonly string[] => Object.keys(tarballs ?? {});

/** Packed packages, as dependencies; all of them if none is named. */
export const tarballsOf = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(tarballs)
      .filter(([name]) => names.length === 0 || names.includes(name))
      .map(([name, file]) => [name, `file:${file}`]),
  );

/** The packed package of that name. */
export const tarballOf = (name: string): string => tarballs[name]!;
/** The kit. */
export const tarball = tarballs?.['rookery'] ?? '';

if (workshop === undefined)
  console.warn('SKIPPED: the npm registry cannot be reached, the tests of the packed package do not run');

/** The copy of the repository that the package was packed from, built. */
export const packedFrom = (): string => join(workshop!, 'clone');

/** A `describe` for what installs from the registry: skipped where it cannot be reached, with a word, but never in CI. */
export const describePackage: typeof describe | typeof describe.skip =
  workshop === undefined ? describe.skip : describe;

export const folderWith = (name: string, files: Readonly<Record<string, string | object>>): string =>
  folderIn(workshop!, name, files);

const nodes = (): string => join(workshop!, 'nodes/node_modules');

/** The binary of a Node. */
export const node = (line: NodeLine): string => join(nodes(), `node-${line}/bin/node`);

/** The PATH of a machine that has this Node, and for the oldest one the npm that comes with it. */
export const pathWith = (line: NodeLine): string =>
  [dirname(node(line)), ...(line === 20 ? [join(nodes(), '.bin')] : []), process.env['PATH']].join(delimiter);

/** What is installed in a folder: the paths of the packages, and the bytes of all their files. */
export function packagesIn(folder: string): { readonly names: readonly string[]; readonly bytes: number } {
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object };
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { names: Object.keys(packages), bytes };
}

export const minutes = (count: number): number => count * 60_000;
