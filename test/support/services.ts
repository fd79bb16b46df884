import { describe, inject, it } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Whether this run includes tests that need more than Node and npm; vitest.config.mts decides. */
    readonly services: boolean;
    /** Whether it includes tests that need only Node and npm and share a file with others. */
    readonly node: boolean;
    /** How many seeds a simulation without planted faults runs with. */
    readonly seeds: number;
  }
}

/** Not for programs of bench/, which start the same services outside of Vitest. */
const includes = (kind: 'services' | 'node'): boolean => process.env['VITEST'] !== undefined && inject(kind);

/**
 * A `describe` for tests that need only Node and npm and stand beside tests that need more. `npm test` runs them, so
 * `npm run test:all` leaves them out.
 */
export const describeNode: typeof describe | typeof describe.skip = includes('node') ? describe : describe.skip;
/** The same for a single test. */
export const itNode: typeof it | typeof it.skip = includes('node') ? it : it.skip;

/**
 * A `describe` for tests that need a program or a server. `npm test` leaves them out. `npm run test:all` prints a warning
 * where the program is missing, and fails in CI.
 */
export function describeWith(program: string, isInstalled: () => boolean): typeof describe | typeof describe.skip {
  return includes('services') ? describeWhere(isInstalled(), `${program} is missing`) : describe.skip;
}

/** A `describe` for tests that a machine may be unable to run. Where it is, prints why, and fails in CI. */
export function describeWhere(isAble: boolean, why: string): typeof describe | typeof describe.skip {
  if (!isAble) missing(why);
  return isAble ? describe : describe.skip;
}

/** Prints a warning that tests are skipped. In CI, fails unless they may be skipped there too. */
export function missing(why: string, alsoInCi = false): void {
  if (process.env['CI'] === 'true' && !alsoInCi) throw new Error(why);
  console.warn(`SKIPPED: ${why}, the tests that need it do not run`);
}
