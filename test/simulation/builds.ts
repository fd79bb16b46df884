import { Random } from '../support/random.js';
import * as thisBuild from './build.js';

/** What runs of a build: its nodes may stand beside those of another one. */
export type Build = typeof thisBuild & {
  /** What its nodes keep in the database and this build's do not, by the names of their services. */
  readonly ownTables?: () => Readonly<Record<string, object>>;
};

/** The build of the n-th node that is started, from 1 on. */
export type BuildOf = (n: number) => Build;

/** With a previous build, all nodes begin as it, and are replaced by either. */
export function buildsOf(
  { seed, nodes }: { readonly seed: number; readonly nodes: number },
  previous?: Build,
): BuildOf {
  const random = new Random(seed);
  return (n) => (previous && (n <= nodes || random.below(2) === 0) ? previous : thisBuild);
}

export { thisBuild };
