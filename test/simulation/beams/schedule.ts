import { type Platform, platforms } from 'rookery/push-device';
import { Random } from '../../../libs/testing/src/simulation/random.js';
import type { StalePublishes, WrongClock } from '../lies.js';
import type { Schedule } from '../shrink.js';

/** How a gateway answers: `busy` by 429, `broken` by 503; `silent` accepts without an answer, `deaf` does nothing. */
export type GatewayMood = 'busy' | 'broken' | 'silent' | 'deaf';
/** How the database answers a write: `full` refuses it; `unsure` makes it, and fails before it can say so. */
export type DiskMood = 'full' | 'unsure';

/** Something that a schedule makes happen, `at` a time in milliseconds. Numbers choose among what there is then. */
export type BeamsOperation =
  | ({ readonly at: number } & (
      | { readonly kind: 'publish'; readonly node: number; readonly id: string; readonly audience: Audience }
      | { readonly kind: 'gateway'; readonly platform: Platform; readonly mood: GatewayMood; readonly ms: number }
      | { readonly kind: 'hang'; readonly platform: Platform; readonly ms: number }
      | { readonly kind: 'disk'; readonly mood: DiskMood; readonly ms: number }
      | { readonly kind: 'pause' | 'stall'; readonly node: number; readonly ms: number }
      | { readonly kind: 'kill' | 'drain'; readonly node: number; readonly downMs: number }
    ))
  | WrongClock
  | StalePublishes;

/** A publish's audience. */
export type Audience =
  | {
      readonly interests: readonly string[];
      readonly allOf?: readonly string[];
      readonly noneOf?: readonly string[];
      readonly users?: undefined;
    }
  | { readonly users: readonly string[]; readonly interests?: undefined };

/** What happens in a run. */
export interface BeamsSchedule extends Schedule {
  readonly nodes: number;
  readonly operations: readonly BeamsOperation[];
}

export const interests = ['news', 'sports', 'weather'];
export const users = ['ann', 'ben', 'cat', 'dan', 'eve'];

const weights = { publish: 30, gateway: 6, disk: 3, pause: 2, stall: 3, kill: 5, drain: 2 };

const hourMs = 3_600_000;
const busyMs = 120_000;
/** On average. */
const betweenScenesMs = { busy: 4000, quiet: 120_000 };
const maxAtOnce = 4;
const hangSalt = 0x68616e67;
const betweenHangsMs = 40_000;

/** The schedule that a seed decides. */
export function scheduleOf(seed: number, minutes: number): BeamsSchedule {
  const random = new Random(seed);
  const combining = new Random(~seed);
  const nodes = 2 + random.below(2);
  const operations: BeamsOperation[] = [];
  const pauseAt = (at: number): number => betweenScenesMs[at % hourMs < busyMs ? 'busy' : 'quiet'];
  let at = 1000;
  for (let count = 0; at < minutes * 60_000; at += random.below(2 * pauseAt(at)))
    for (let left = 1 + random.below(maxAtOnce); left > 0; left--)
      operations.push({ at: at + random.below(1000), ...combined(combining, operation(random, nodes, (count += 1))) });
  operations.push(...hangsOf(seed, minutes));
  operations.sort((a, b) => a.at - b.at);
  return { seed, nodes, minutes, operations };
}

/** Times at which a gateway answers nothing. They are drawn apart, so that schedules stay as they were. */
function hangsOf(seed: number, minutes: number): readonly BeamsOperation[] {
  const random = new Random(seed ^ hangSalt);
  const hangs: BeamsOperation[] = [];
  const next = (): number => 1 + random.below(2 * betweenHangsMs);
  for (let at = next(); at % hourMs < busyMs && at < minutes * 60_000; at += next())
    hangs.push({ at, kind: 'hang', platform: random.of(platforms), ms: random.below(30_000) });
  return hangs;
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

function operation(
  random: Random,
  nodes: number,
  n: number,
): WithoutTime<Exclude<BeamsOperation, WrongClock | StalePublishes | { readonly kind: 'hang' }>> {
  const kind = random.weighted(weights);
  const node = random.below(nodes);
  const some = (names: readonly string[]): string[] => names.filter(() => random.below(2) === 0);
  switch (kind) {
    case 'publish': {
      const audience =
        random.below(3) === 0
          ? { users: [random.of(users), ...some(users)] }
          : { interests: [random.of(interests), ...some(interests)] };
      return { kind, node, id: `p${n}`, audience: unique(audience) };
    }
    case 'gateway': {
      const mood = random.of<GatewayMood>(['busy', 'broken', 'silent', 'deaf']);
      return { kind, platform: random.of(platforms), mood, ms: random.below(20_000) };
    }
    case 'disk':
      return { kind, mood: random.of<DiskMood>(['full', 'unsure']), ms: random.below(5000) };
    case 'pause':
      return { kind, node, ms: random.below(25_000) };
    case 'stall':
      return { kind, node, ms: random.below(15_000) };
    case 'kill':
    case 'drain':
      return { kind, node, downMs: random.below(15_000) };
    default:
      return kind satisfies never;
  }
}

const unique = ({ interests: named, users: of }: Audience): Audience =>
  named ? { interests: [...new Set(named)] } : { users: [...new Set(of)] };

/** Every other publish to interests asks for more of its devices. It draws apart, so that schedules stay as they were. */
function combined<Its extends { readonly kind: string }>(random: Random, operation: Its): Its {
  const { audience } = operation as { readonly audience?: Audience };
  if (!audience?.interests || random.below(2) === 0) return operation;
  const allOf = interests.filter(() => random.below(3) === 0);
  const noneOf = interests.filter((name) => !allOf.includes(name) && random.below(3) === 0);
  return { ...operation, audience: { interests: audience.interests, allOf, noneOf } };
}
