import { Random } from '../../support/random.js';
import type { Schedule } from '../shrink.js';

const betweenReplacementsMs = 5000;

/** A node is drained, and the next one is started. */
interface Replacement {
  readonly at: number;
  readonly kind: 'drain';
  readonly node: number;
  readonly downMs: number;
}

/** The operations of a schedule, whose nodes are replaced more often. */
export function withReplacements<Its extends Schedule & { readonly nodes: number }>({
  seed,
  minutes,
  nodes,
  operations,
}: Its): readonly (Its['operations'][number] | Replacement)[] {
  const random = new Random(~seed);
  const all: (Its['operations'][number] | Replacement)[] = [...operations];
  for (let at = 4000; at < minutes * 60_000; at += random.below(2 * betweenReplacementsMs))
    all.push({ at, kind: 'drain', node: random.below(nodes), downMs: random.below(500) });
  return all.toSorted((one, other) => one.at - other.at);
}
