import { createRequire } from 'node:module';
import { join } from 'node:path';
import type ts from 'typescript';
import { ProjectError } from './project-error.js';

/** The compiler's API. */
export type TypeScript = typeof ts;

/**
 * The project's own TypeScript, otherwise the one of its Nest CLI: TypeScript 7 has no API.
 * @throws ProjectError if neither can be loaded
 */
export function loadTypeScript(root: string): TypeScript {
  const ofProject = createRequire(join(root, 'package.json'));
  const found = loadedBy(ofProject) ?? loadedBy(requireOf(ofProject, '@nestjs/cli'));
  if (found) return found;
  throw new ProjectError(
    `Cannot load TypeScript 4.8 to 6 from ${root}: run npm install, or npm install --save-dev typescript@6`,
  );
}

type Require = ReturnType<typeof createRequire>;

function loadedBy(require: Require | undefined): TypeScript | undefined {
  try {
    const loaded = require?.('typescript') as Partial<TypeScript> | undefined;
    return loaded?.createSourceFile && loaded.getDecorators ? (loaded as TypeScript) : undefined;
  } catch {
    // It is not installed there, which is an answer.
    return undefined;
  }
}

function requireOf(require: Require, name: string): Require | undefined {
  try {
    return createRequire(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
