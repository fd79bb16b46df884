import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';
import type { RoughProxy } from './rough-proxy.js';

/** A store with a network before it. */
export interface Reached {
  readonly proxy: RoughProxy;
  /** Whether new connections reach it. */
  isReachable: boolean;
}

/** Something happens to a store; it is over when this settles. */
export type Fault<Store extends Reached> = (reached: Store, random: Random) => Promise<void>;

/** A router that has lost its connections drops what comes, and tells neither side; at last it refuses it. */
export const isInABlackHole: Fault<Reached> = async (reached, random) => {
  reached.isReachable = false;
  reached.proxy.swallow();
  await delay(500 + random.below(3000));
  reached.isReachable = true;
  reached.proxy.be('cut');
};

export const resetsConnections: Fault<Reached> = async ({ proxy }, random) => {
  proxy.be('cut');
  await delay(random.below(500));
};
