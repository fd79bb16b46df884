import { mkdtempSync, readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { linkModules } from '../../scripts/linked-modules.mjs';
import { folderIn, npmInstall, oldestNpm, root, run, versions } from './workshop.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where everything is made; nothing where the registry cannot be reached. */
    readonly workshop: string | undefined;
    /** The packed packages, by name. */
    readonly tarballs: Readonly<Record<string, string>>;
  }
}

/** Packs the packages and gets the Nodes, once for all files that install them. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const workshop = mkdtempSync(join(tmpdir(), 'rookery-package-'));
  const answersPing = await run('npm', ['ping'], workshop).then(
    () => true,
    () => false,
  );
  if (!answersPing && process.env['CI'] === 'true')
    throw new Error('The npm registry cannot be reached: nothing can be installed');
  project.provide('workshop', answersPing ? workshop : undefined);
  if (answersPing) {
    const [tarballs] = await Promise.all([packed(workshop), installNodes(workshop)]);
    project.provide('tarballs', tarballs);
  }
  // The runner waits for its workers meanwhile, and must hear of their ends: there are 100,000 files.
  return () => rm(workshop, { recursive: true, force: true, maxRetries: 10 });
}

/** `npm pack` in a copy of what git knows, as from a fresh clone with one commit: answers the tarballs. */
async function packed(workshop: string): Promise<Readonly<Record<string, string>>> {
  const clone = folderIn(workshop, 'clone', {});
  const files = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], root);
  const tracked = new Set(files.trim().split('\n'));
  await cp(root, clone, { recursive: true, filter: (path) => isWithin(tracked, path.slice(root.length)) });
  const commit = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', 'All'];
  for (const step of [['init', '--quiet'], ['add', '--all'], commit]) await run('git', step, clone);
  const packages = packagesIn(clone);
  linkModules(root, clone);
  const pack = ['pack', '--workspaces', '--include-workspace-root', '--loglevel=error'];
  await run('npm', [...pack, '--pack-destination', workshop], clone);
  return Object.fromEntries(packages.map(({ name, file }) => [name, join(workshop, file)]));
}

interface Package {
  readonly name: string;
  readonly folder: string;
  /** That `npm pack` makes of it. */
  readonly file: string;
}

function packagesIn(clone: string): readonly Package[] {
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(clone, folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly workspaces?: readonly string[];
    };
  const { workspaces = [] } = read('.');
  return [...new Set(['.', ...workspaces])].map((folder) => {
    const { name, version } = read(folder);
    return { name, folder, file: `${name.replace('@', '').replace('/', '-')}-${version}.tgz` };
  });
}

function isWithin(tracked: ReadonlySet<string>, path: string): boolean {
  if (path === '' || tracked.has(path)) return true;
  return [...tracked].some((file) => file.startsWith(`${path}/`));
}

/** From the packages that the npm package `node` consists of. */
async function installNodes(workshop: string): Promise<void> {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const folder = folderIn(workshop, 'nodes', {
    'package.json': {
      private: true,
      dependencies: {
        ...Object.fromEntries(
          Object.entries(versions).map(([line, version]) => [
            `node-${line}`,
            `npm:node-${platform}-${process.arch}@${version}`,
          ]),
        ),
        npm: oldestNpm,
      },
    },
  });
  await npmInstall(folder);
}
