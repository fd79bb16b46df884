import { Random } from '../support/random.js';

export type Build = 'previous' | 'this';

/** One step of an upgrade. */
export type UpgradeStep =
  | { readonly does: 'migrate' }
  | { readonly does: 'replace'; readonly slot: number; readonly by: Build; readonly isStartedFirst: boolean };

/** What a seed decides. Every process begins as the previous build. */
export function upgradeOf(seed: number, processes: number, steps: number): readonly UpgradeStep[] {
  const random = new Random(seed);
  const slots = Array.from({ length: processes }, (): Build => 'previous');
  return Array.from({ length: steps }, (): UpgradeStep => {
    const does = random.weighted({ migrate: 1, replace: 3 });
    if (does === 'migrate') return { does };
    const slot = random.below(processes);
    const by = slots[slot] === 'this' ? 'previous' : 'this';
    slots[slot] = by;
    // One that is alone on its database ends before the next one starts.
    return { does, slot, by, isStartedFirst: processes > 1 && random.below(2) === 0 };
  });
}
