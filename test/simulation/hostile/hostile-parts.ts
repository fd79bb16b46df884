import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { ServingNode } from '../node.js';

/** What an attack in the simulation may use. */
export interface HostileParts {
  readonly world: World;
  readonly node: ServingNode;
  /** Differs from that of all others in the run. */
  readonly number: number;
}

/** An attack in progress. */
export interface Hostile {
  /** What the attacker was allowed and must not be; undefined if all limits held. */
  readonly wrong: string | undefined;
}
