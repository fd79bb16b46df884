import type { Party } from '../../libs/testing/src/simulation/party.js';
import { Random } from '../../libs/testing/src/simulation/random.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** Something that tells a node what is not so. No schedule has any, unless a run asks for it: `--lies hour`. */
export type Lie = WrongClock | StoreLie | StalePublishes | TornWrites;

interface Timed {
  readonly at: number;
  readonly forMs: number;
}

/** The wall clock of a node is an hour ahead or behind. */
export interface WrongClock extends Timed {
  readonly kind: 'hour';
  readonly node: number;
  readonly ms: number;
}

/**
 * The store answers reads from the state that it had when this began, as a replica that lags behind; with `late`, with
 * what the node that reads has written itself.
 */
export interface StoreLie extends Timed {
  readonly kind: LagKind;
}

/** The store keeps a part of a write of many rows, and fails: the rest follows if it is repeated. */
export interface TornWrites extends Timed {
  readonly kind: 'torn';
}

/** The store of Beams answers, likewise, what became of a publish. */
export interface StalePublishes extends Timed {
  readonly kind: 'lag-publishes';
}

export type LagKind = 'lag-counts' | 'lag-members' | 'lag-history' | 'lag-sessions' | 'late';

export type LieKind = Lie['kind'];

const salts: Readonly<Record<LieKind, number>> = {
  hour: 30211,
  'lag-counts': 47718,
  'lag-members': 61533,
  'lag-history': 15094,
  'lag-sessions': 38890,
  'lag-publishes': 52086,
  torn: 70123,
  late: 27361,
};

export const hourMs = 3_600_000;
/** Work may wait for as long as the clock of the node was ahead that claimed it, or made it due. */
export const lateMs = (operations: readonly { readonly kind: string }[]): number =>
  operations.some(({ kind }) => kind === 'hour') ? hourMs : 0;

const betweenMs = 15_000;
const longestMs = { hour: 40_000, lag: 8000 };

/** The clock of a process is wrong for a time. */
export function turnClock(world: World, party: Party, { ms, forMs }: WrongClock): void {
  party.clockMs += ms;
  world.after(forMs, () => void (party.clockMs -= ms), world.outside);
}

/** The lies that a seed decides: each kind of random numbers of its own, so that others leave it as it is. */
export function liesOf(seed: number, minutes: number, nodes: number, kinds: readonly LieKind[]): readonly Lie[] {
  return kinds.flatMap((kind) => {
    const random = new Random(seed ^ salts[kind]);
    const lies: Lie[] = [];
    for (let at = 3000 + random.below(betweenMs); at < minutes * 60_000;) {
      const forMs = 1000 + random.below(kind === 'hour' ? longestMs.hour : longestMs.lag);
      if (kind !== 'hour') lies.push({ at, forMs, kind });
      else lies.push({ at, forMs, kind, ms: random.below(2) === 0 ? hourMs : -hourMs, node: random.below(nodes) });
      at += forMs + random.below(2 * betweenMs);
    }
    return lies;
  });
}
