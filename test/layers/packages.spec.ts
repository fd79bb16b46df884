import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

// Six packages of one repository: one version, and nothing in one that belongs into another.

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: object;
  readonly files: readonly string[];
  readonly workspaces?: readonly string[];
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json'))) as Manifest;
const kit = manifestOf('.');
/** What only others need of Nest is of its releases, too. */
const nest = { '@nestjs/testing': kit.peerDependencies!['@nestjs/core'] };
const folders = kit.workspaces!.filter((folder) => folder !== '.');

describe.each(folders)('the package in %s', (folder) => {
  const manifest = manifestOf(folder);
  const { name, version, license, engines, files, exports, dependencies, peerDependencies } = manifest;
  const isOptional = (of: string): boolean => manifest.peerDependenciesMeta?.[of]?.optional === true;

  it('has the version, the licence and the Nodes of the kit', () => {
    expect(name).toMatch(/^@rookery\/[a-z]+$/);
    expect({ version, license, engines }).toEqual({ version: kit.version, license: kit.license, engines: kit.engines });
    expect(read(join(folder, 'LICENSE'))).toBe(read('LICENSE'));
  });

  it('needs the kit in its own version, and others in the versions that the kit needs', () => {
    const ofOthers = { ...kit.peerDependencies, ...kit.dependencies, ...nest, rookery: kit.version };
    const needed = Object.entries({ ...peerDependencies, ...dependencies }).filter(([of]) => !isOptional(of));
    expect(Object.fromEntries(needed)).toEqual(
      Object.fromEntries(needed.map(([of]) => [of, ofOthers[of as keyof typeof ofOthers]])),
    );
  });

  it('has its peers among what is developed with, so that a clone in production installs none of them', () => {
    const peers = Object.keys(peerDependencies ?? {}).filter((of) => of !== 'rookery');
    const ofKit = Object.fromEntries(peers.map((of) => [of, kit.devDependencies![of]]));
    expect(manifest.devDependencies ?? {}).toEqual(ofKit);
  });

  it('is packed as it is built, and is read from its sources here', () => {
    expect(files).toContain('dist');
    for (const [path, entry] of Object.entries(exports)) {
      if (typeof entry === 'string') continue;
      // The declarations of matchers are written by hand.
      const first = String(entry['types']).startsWith('./src/') ? 'types' : 'rookery-source';
      expect(Object.keys(entry)[0], path).toBe(first);
      expect(existsSync(join(root, folder, String(entry['rookery-source']))), path).toBe(true);
    }
  });

  it('says on one page what it is for, how it is installed, and how it begins', () => {
    const page = read(join(folder, 'README.md'));
    expect(page).toMatch(new RegExp(`^# ${name}\\n`));
    expect(page).toMatch(new RegExp(`np[mx] (install )?.*${name}`));
    expect(page).toMatch(/```(js|ts)\n/);
    expect(page.split('\n').length).toBeLessThan(80);
  });

  it('is there when the image installs what the lock file says', () => {
    expect(read('ops/docker/Dockerfile')).toContain(`COPY ${folder}/package.json ${folder}/\n`);
  });
});

it('The lock file names no registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved": "[a-z+]+:/);
});

it('A clone in production installs what the kit depends on, and nothing else', () => {
  interface Entry {
    readonly link?: boolean;
    readonly dev?: boolean;
    readonly devOptional?: boolean;
    readonly dependencies?: object;
  }
  const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: Record<string, Entry> };
  const installed = Object.entries(packages).filter(
    ([path, { link, dev }]) => path.startsWith('node_modules/') && !link && !dev,
  );
  const wanted = [kit, ...installed.map(([, entry]) => entry)].flatMap((each) => Object.keys(each.dependencies ?? {}));
  expect(installed.map(([path]) => path.slice('node_modules/'.length))).toEqual([...new Set(wanted)].toSorted());
  expect(installed.filter(([, { devOptional }]) => devOptional)).toEqual([]);
});
