import type { Random } from '../../support/random.js';
import { limits } from '../cluster-options.js';
import type { Hostility } from './hostility.js';

/** The acts of an attacker: most stay below the limits, some exceed them. */
export function hostility(random: Random): Hostility {
  const does = random.weighted({ ping: 2, crowd: 4, mint: 2, keep: 2 });
  switch (does) {
    case 'ping':
      return { does };
    case 'crowd': {
      const connections = 1 + random.below(2 * limits.connectionsPerAddress);
      return { does, connections, subscriptions: random.below(40), afterMs: 3000 + random.below(10_000) };
    }
    case 'mint':
      return { does, receipts: 1 + random.below(5) };
    case 'keep':
      return { does, pieces: random.below(random.of([20, 400])) };
    default:
      return does satisfies never;
  }
}
