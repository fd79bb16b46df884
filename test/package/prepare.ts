import { mkdtempSync, symlinkSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { folderIn, npmInstall, oldestNpm, root, run, versions } from './workshop.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where everything is made; nothing where the registry cannot be reached. */
    readonly workshop: string | undefined;
    /** The packed package. */
    readonly tarball: string;
  }
}

/** Packs the package and gets the Nodes, once for all files that install it. */
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
    const [tarball] = await Promise.all([packed(workshop), installNodes(workshop)]);
    project.provide('tarball', tarball);
  }
  // The runner waits for its workers meanwhile, and must hear of their ends: there are 100,000 files.
  return () => rm(workshop, { recursive: true, force: true, maxRetries: 10 });
}

/** `npm pack` in a copy of what git knows, as from a fresh clone with one commit: answers the tarball. */
async function packed(workshop: string): Promise<string> {
  const clone = folderIn(workshop, 'clone', {});
  const files = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], root);
  const tracked = new Set(files.trim().split('\n'));
  await cp(root, clone, { recursive: true, filter: (path) => isWithin(tracked, path.slice(root.length)) });
  const commit = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', 'All'];
  for (const step of [['init', '--quiet'], ['add', '--all'], commit]) await run('git', step, clone);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const output = await run('npm', ['pack', '--pack-destination', workshop, '--loglevel=error'], clone);
  return join(workshop, output.trim().split('\n').at(-1)!);
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
