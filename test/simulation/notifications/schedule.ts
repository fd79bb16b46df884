import { Random } from '../../../libs/testing/src/simulation/random.js';
import type { DiskMood } from '../beams/schedule.js';
import type { WrongClock } from '../lies.js';
import type { Schedule } from '../shrink.js';

/** Something that a schedule makes happen, `at` a time in milliseconds. Numbers choose among what there is then. */
export type NotificationsOperation =
  | ({ readonly at: number } & (
      | {
          readonly kind: 'notify';
          readonly node: number;
          readonly id: string;
          readonly user: string;
          readonly key?: string;
        }
      | { readonly kind: 'read'; readonly node: number; readonly notification: number }
      | { readonly kind: 'open'; readonly user: string }
      | { readonly kind: 'close' | 'break'; readonly page: number }
      | { readonly kind: 'freeze'; readonly page: number; readonly ms: number }
      | { readonly kind: 'disk'; readonly mood: DiskMood; readonly ms: number }
      | { readonly kind: 'pause' | 'stall'; readonly node: number; readonly ms: number }
      | { readonly kind: 'kill' | 'drain'; readonly node: number; readonly downMs: number }
    ))
  | WrongClock;

/** What happens in a run. */
export interface NotificationsSchedule extends Schedule {
  readonly nodes: number;
  readonly operations: readonly NotificationsOperation[];
}

export const users = ['ann', 'ben', 'cat', 'dan'];

const weights = {
  notify: 30,
  read: 8,
  open: 4,
  close: 2,
  break: 3,
  freeze: 3,
  disk: 1,
  pause: 1,
  stall: 1.5,
  kill: 1.5,
  drain: 0.7,
};

const hourMs = 3_600_000;
const busyMs = 120_000;
/** On average: some scenes follow each other while notifications wait, others find nothing disturbed. */
const betweenScenesMs = { busy: 4000, quiet: 120_000 };
const maxAtOnce = 4;

/** The schedule that a seed decides. */
export function scheduleOf(seed: number, minutes: number): NotificationsSchedule {
  const random = new Random(seed);
  const nodes = 2 + random.below(2);
  const operations: NotificationsOperation[] = [];
  for (const user of users)
    if (random.below(3) > 0) operations.push({ at: 500 + random.below(500), kind: 'open', user });
  const pauseAt = (at: number): number => betweenScenesMs[at % hourMs < busyMs ? 'busy' : 'quiet'];
  let at = 3000;
  for (let count = 0; at < minutes * 60_000; at += random.below(2 * pauseAt(at)))
    for (let left = 1 + random.below(maxAtOnce); left > 0; left--)
      operations.push({ at: at + random.below(1000), ...operation(random, nodes, (count += 1)) });
  operations.sort((a, b) => a.at - b.at);
  return { seed, nodes, minutes, operations };
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

function operation(random: Random, nodes: number, n: number): WithoutTime<Exclude<NotificationsOperation, WrongClock>> {
  const kind = random.weighted(weights);
  const [node, page, user] = [random.below(nodes), random.below(1000), random.of(users)];
  switch (kind) {
    case 'notify':
      return { kind, node, id: `p${n}`, user, ...(random.below(4) === 0 && { key: random.of(['a', 'b']) }) };
    case 'read':
      return { kind, node, notification: random.below(1000) };
    case 'open':
      return { kind, user };
    case 'close':
    case 'break':
      return { kind, page };
    case 'freeze':
      return { kind, page, ms: random.below(12_000) };
    case 'disk':
      return { kind, mood: random.of<DiskMood>(['full', 'unsure']), ms: random.below(5000) };
    case 'pause':
      return { kind, node, ms: random.below(12_000) };
    case 'stall':
      return { kind, node, ms: random.below(8000) };
    case 'kill':
    case 'drain':
      return { kind, node, downMs: random.below(8000) };
    default:
      return kind satisfies never;
  }
}
