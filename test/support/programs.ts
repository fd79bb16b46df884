import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { describe } from 'vitest';
import { describeWith } from './services.js';

/** Where a program of the system is, if it is installed. */
export const pathOf = (program: string): string | undefined =>
  ['/usr/sbin', '/usr/bin'].map((folder) => join(folder, program)).find((path) => existsSync(path));

/** A `describe` for tests that need a program of the system, such as a proxy or curl. */
export const describeInstalled = (program: string): typeof describe | typeof describe.skip =>
  describeWith(program, () => pathOf(program) !== undefined);
