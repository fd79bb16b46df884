import { ProjectError } from './project-error.js';
import { filesBelow, folderOf, joined, type ProjectFiles } from './project-files.js';
import { type Manifest, rangeOf } from './written/manifest.js';

export type Runner = 'vitest' | 'jest';
export type Platform = 'express' | 'fastify';

/** A Nest application. */
export interface Project {
  /** The file of the root module. */
  readonly module: string;
  /** The folder of its `package.json`, in which it is started. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Undefined if it has another one, or no `@nestjs/testing`. */
  readonly runner: Runner | undefined;
  readonly platform: Platform;
}

const manifestPath = (folder: string): string => joined(folder, 'package.json');

/** Whether a folder has, or is below, a `package.json` with Nest. */
export const hasNest = (files: ProjectFiles): boolean =>
  [files.read('package.json')].some((text) => text !== undefined && nestOf(parsed('package.json', text)) !== undefined);

/**
 * Finds the application among the files.
 * @throws ProjectError if there is no Nest, or not one root module
 */
export function findProject(
  files: ProjectFiles,
  {
    module: named,
    sourceRoot = '',
  }: { readonly module?: string | undefined; readonly sourceRoot?: string | undefined },
): Project {
  if (files.read('package.json') === undefined)
    throw new ProjectError(`${files.root} has no package.json: run this in the folder of a Nest application`);
  const module = named === undefined ? rootModule(files, sourceRoot) : existing(files, named.replace(/^\.?\//, ''));
  const manifests = manifestsAbove(files, folderOf(module));
  const own = manifests.find(({ manifest }) => nestOf(manifest) !== undefined);
  if (!own)
    throw new ProjectError(
      `${manifests.map(({ path }) => path).join(' and ')} has no @nestjs/core: run this in the folder of a Nest application`,
    );
  checkNest(own.path, nestOf(own.manifest)!);
  const has = (name: string): boolean => manifests.some(({ manifest }) => rangeOf(manifest, name) !== undefined);
  return {
    module,
    folder: own.folder,
    manifest: own.manifest,
    runner: has('@nestjs/testing') ? (has('vitest') ? 'vitest' : has('jest') ? 'jest' : undefined) : undefined,
    platform: has('@nestjs/platform-fastify') && !has('@nestjs/platform-express') ? 'fastify' : 'express',
  };
}

const nestOf = (manifest: Manifest): string | undefined => rangeOf(manifest, '@nestjs/core');

function rootModule(files: ProjectFiles, sourceRoot: string): string {
  const isModule = /(^|\/)app\.module\.ts$/;
  const within = filesBelow(files, sourceRoot.replace(/\/$/, ''), isModule);
  // `nest add` passes `src` for projects without a nest-cli.json, too.
  const found = within.length > 0 ? within : filesBelow(files, '', isModule);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new ProjectError(`Found several root modules: pass ${found.map((path) => `--module=${path}`).join(' or ')}`);
  if (filesBelow(files, '', /(^|\/)app\.module\.js$/).length > 0)
    throw new ProjectError(
      'Your app.module is JavaScript, and only TypeScript is edited: docs/embedding.md says what to write',
    );
  throw new ProjectError(
    `${files.root} has no app.module.ts: name the file of your root module, such as --module=src/root.module.ts`,
  );
}

function existing(files: ProjectFiles, path: string): string {
  if (files.read(path) !== undefined) return path;
  throw new ProjectError(`--module=${path} does not exist in ${files.root}`);
}

interface PlacedManifest {
  readonly folder: string;
  readonly path: string;
  readonly manifest: Manifest;
}

/** The nearest first. */
function manifestsAbove(files: ProjectFiles, folder: string): readonly PlacedManifest[] {
  const path = manifestPath(folder);
  const text = files.read(path);
  const own = text === undefined ? [] : [{ folder, path, manifest: parsed(path, text) }];
  return folder === '' ? own : [...own, ...manifestsAbove(files, folderOf(folder))];
}

function parsed(path: string, text: string): Manifest {
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new ProjectError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}

/** Other ranges, such as `latest` or `workspace:*`, pass. */
function checkNest(path: string, range: string): void {
  const major = /^[\^~>=v\s]*(\d+)/.exec(range)?.[1];
  if (major === undefined || Number(major) >= 11) return;
  throw new ProjectError(`${path} has @nestjs/core ${range}: Rookery needs Nest 11 or 12`);
}
