import type { Party } from '../../libs/testing/src/simulation/party.js';
import { Random } from '../../libs/testing/src/simulation/random.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** Something that tells a node what is not so. No schedule has any, unless a run asks for it: `--lies hour`. */
export type Lie = {
  readonly at: number;
  /** Before the next one. */
  readonly forMs: number;
} & {
  /** The wall clock of a node is an hour ahead or behind. */
  readonly kind: 'hour';
  readonly node: number;
  readonly ms: number;
};

export type LieKind = Lie['kind'];

const salts: Readonly<Record<LieKind, number>> = { hour: 30211 };
export const lieKinds = Object.keys(salts) as readonly LieKind[];

export const hourMs = 3_600_000;
/** Work may wait for as long as the clock of the node was ahead that claimed it, or made it due. */
export const lateMs = (operations: readonly { readonly kind: string }[]): number =>
  operations.some(({ kind }) => kind === 'hour') ? hourMs : 0;

const betweenMs = 15_000;
const longestMs = 40_000;

/** The clock of a process is wrong for a time. */
export function turnClock(world: World, party: Party, { ms, forMs }: Lie): void {
  party.clockMs += ms;
  world.after(forMs, () => void (party.clockMs -= ms), world.outside);
}

/** The lies that a seed decides: each kind of random numbers of its own, so that others leave it as it is. */
export function liesOf(seed: number, minutes: number, nodes: number, kinds: readonly LieKind[]): readonly Lie[] {
  return kinds.flatMap((kind) => {
    const random = new Random(seed ^ salts[kind]);
    const lies: Lie[] = [];
    for (let at = 3000 + random.below(betweenMs); at < minutes * 60_000;) {
      const forMs = 1000 + random.below(longestMs);
      const ms = random.below(2) === 0 ? hourMs : -hourMs;
      lies.push({ at, forMs, kind, node: random.below(nodes), ms });
      at += forMs + random.below(2 * betweenMs);
    }
    return lies;
  });
}
