import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Node } from '../node.js';

/** Where somebody hostile is at work. */
export interface HostileParts {
  readonly world: World;
  readonly node: Node;
  /** Differs from that of all others in the run. */
  readonly number: number;
}

/** Somebody hostile, at work. */
export interface Hostile {
  /** What they were allowed that they must not be; undefined if they were kept within their limits. */
  readonly wrong: string | undefined;
}
