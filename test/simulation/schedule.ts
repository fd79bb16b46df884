import { Random } from '../support/random.js';
import { allowsClientEvents, channels, hasMembers, maxNewChannels, users } from './cluster-options.js';
import type { LieKind, StoreLie, TornWrites, WrongClock } from './lies.js';
import { hostility } from './hostile/hostilities.js';
import type { Hostility } from './hostile/hostility.js';
import type { LimitsOfApp } from './limits/limits-of-app.js';
import type { Rude, Rudeness } from './rude-client.js';
import type { Schedule } from './shrink.js';

/** Something that a schedule makes happen, `at` a time in milliseconds. Numbers choose among what there is then. */
export type Operation =
  | ({ readonly at: number } & (
      | { readonly kind: 'connect' | 'disconnect'; readonly client: number }
      | { readonly kind: 'subscribe' | 'unsubscribe'; readonly client: number; readonly channel: string }
      | { readonly kind: 'say'; readonly client: number; readonly channel: string; readonly times: number }
      | { readonly kind: 'trigger'; readonly node: number; readonly channel: string; readonly id: string }
      | {
          readonly kind: 'update';
          readonly node: number;
          readonly channel: string;
          readonly user: string;
          readonly info: string;
        }
      | { readonly kind: 'break'; readonly client: number; readonly isSilent: boolean }
      | { readonly kind: 'freeze' | 'stallClient'; readonly client: number; readonly ms: number }
      | { readonly kind: 'pause' | 'stall'; readonly node: number; readonly ms: number }
      | { readonly kind: 'kick'; readonly node: number; readonly awayMs: number }
      | { readonly kind: 'clock'; readonly node: number; readonly ms: number }
      | { readonly kind: 'rude'; readonly node: number; readonly rude: Rude }
      | { readonly kind: 'hostile'; readonly node: number; readonly hostility: Hostility }
      | { readonly kind: 'kill' | 'drain'; readonly node: number; readonly downMs: number }
      | { readonly kind: 'failover'; readonly lagMs: number; readonly awayMs: number }
      | { readonly kind: 'outage'; readonly awayMs: number; readonly forgets: boolean }
      | { readonly kind: 'refuse'; readonly ms: number }
    ))
  | WrongClock
  | StoreLie
  | TornWrites;

/** To nodes and clients; the store fails besides, or its queue refuses webhooks. */
type CommonOperation = Exclude<Operation, { readonly kind: 'failover' | 'outage' | 'refuse' | LieKind }>;

/** What happens in a run. */
export interface ChannelsSchedule extends Schedule {
  readonly nodes: number;
  readonly clients: number;
  /** Whether answers of the store overtake each other, as those of Redis do. */
  readonly isLoose: boolean;
  /** Of the app, where they are simulated. */
  readonly limits?: LimitsOfApp;
  readonly operations: readonly Operation[];
}

const weights: Readonly<
  Record<Exclude<CommonOperation['kind'], 'say' | 'rude' | 'hostile' | 'update' | 'kick'>, number>
> = {
  trigger: 40,
  subscribe: 25,
  unsubscribe: 14,
  connect: 8,
  disconnect: 2,
  break: 6,
  freeze: 1,
  stallClient: 1.5,
  pause: 0.6,
  stall: 0.8,
  clock: 0.1,
  kill: 0.5,
  drain: 0.3,
};

const hourMs = 3_600_000;
/** Each hour begins busy, and then is quiet: leases end, sessions and histories are forgotten. */
const busyMs = 120_000;
/** On average. */
const betweenScenesMs = { busy: 800, quiet: 120_000 };
const betweenFailuresMs = { busy: 15_000, quiet: 1_800_000 };
const maxAtOnce = 12;

/** The schedule that a seed decides. */
export function scheduleOf(seed: number, minutes: number): ChannelsSchedule {
  const random = new Random(seed);
  const nodes = 2 + random.below(3);
  const clients = 4 + random.below(9);
  const isLoose = random.below(2) === 0;
  const operations: Operation[] = [];
  for (let client = 0; client < clients; client++) {
    operations.push({ at: 500 + random.below(1000), kind: 'connect', client });
    for (const channel of channels)
      if (random.below(3) === 0) operations.push({ at: 1500 + random.below(1000), kind: 'subscribe', client, channel });
  }
  let at = 3000;
  // Scenes: much that happens to one channel at almost the same time finds more than the same over a minute.
  for (let events = 0; at < minutes * 60_000; at += random.below(2 * pauseAt(at))) {
    const channel = random.of(channels);
    const withinMs = random.of([1, 20, 100, 400]);
    for (let left = 1 + random.below(maxAtOnce); left > 0; left--) {
      const chosen = random.below(5) === 0 ? random.of(channels) : channel;
      operations.push({ at: at + random.below(withinMs), ...operation(random, chosen, (events += 1), nodes, clients) });
    }
  }
  const failures = isLoose ? failuresOf(seed, minutes) : [];
  // What becomes of client events while the store is away is not modelled.
  operations.push(...(failures.length > 0 ? failures : sayings(seed, minutes, clients)));
  if (failures.length > 0) operations.push(...kicks(seed, minutes, nodes));
  operations.push(...refusals(seed, minutes), ...rudenesses(seed, minutes, nodes), ...updates(seed, minutes, nodes));
  operations.push(...hostilities(seed, minutes, nodes));
  operations.sort((a, b) => a.at - b.at);
  return { seed, nodes, clients, isLoose, minutes, operations };
}

/** What clients say to each other: of random numbers of its own, so that the rest of a seed stays as it is without them. */
function sayings(seed: number, minutes: number, clients: number): readonly Operation[] {
  const random = new Random(~seed);
  const operations: Operation[] = [];
  for (let at = 3000; at < minutes * 60_000; at += random.below(2 * pauseAt(at))) {
    const channel = random.of(channels.filter(allowsClientEvents));
    const withinMs = random.of([1, 20, 100, 400]);
    for (let left = 1 + random.below(maxAtOnce / 2); left > 0; left--) {
      const times = random.below(6) === 0 ? random.below(25) : 1 + random.below(2);
      operations.push({ at: at + random.below(withinMs), kind: 'say', client: random.below(clients), channel, times });
    }
  }
  return operations;
}

const pauseAt = (at: number): number => betweenScenesMs[at % hourMs < busyMs ? 'busy' : 'quiet'];

/** Chosen so that the store does not fail in the older runs of failed-seeds.txt, which keep their schedules. */
const failureSalt = 72256;

function failuresOf(seed: number, minutes: number): Operation[] {
  const random = new Random(seed ^ failureSalt);
  const operations: Operation[] = [];
  if (random.below(4) === 0) return operations;
  for (let at = 3000 + random.below(10_000); at < minutes * 60_000;) {
    operations.push({ at, ...failure(random) });
    at += random.below(2 * betweenFailuresMs[at % hourMs < busyMs ? 'busy' : 'quiet']);
  }
  return operations;
}

function failure(random: Random): WithoutTime<Extract<Operation, { readonly kind: 'failover' | 'outage' }>> {
  const awayMs = random.below(random.of([1000, 4000, 12_000]));
  if (random.below(2) === 0) return { kind: 'failover', lagMs: random.below(random.of([50, 500, 4000])), awayMs };
  return { kind: 'outage', awayMs, forgets: random.below(3) === 0 };
}

const kickSalt = 90417;

/** As when Redis closes the connection of a process that reads its messages too slowly, once or again and again. */
function kicks(seed: number, minutes: number, nodes: number): Operation[] {
  const random = new Random(seed ^ kickSalt);
  const operations: Operation[] = [];
  for (let at = 3000; at < minutes * 60_000; at += random.below(2 * Math.max(5000, pauseAt(at)))) {
    const [node, longestMs] = [random.below(nodes), random.of([20, 200, 2000])];
    const times = random.of([1, 1, 2, 6]);
    for (let left = times; left > 0; left--)
      operations.push({
        at: at + random.below(times * longestMs),
        kind: 'kick',
        node,
        awayMs: random.below(longestMs),
      });
  }
  return operations;
}

const refusalSalt = 51803;

/** As when the disk of a database is full, or it restarts: in every third seed. */
function refusals(seed: number, minutes: number): Operation[] {
  const random = new Random(seed ^ refusalSalt);
  const operations: Operation[] = [];
  if (random.below(3) > 0) return operations;
  for (let at = 3000 + random.below(20_000); at < minutes * 60_000; at += random.below(2 * pauseAt(at) + 40_000))
    operations.push({ at, kind: 'refuse', ms: random.below(random.of([500, 3000, 15_000])) });
  return operations;
}

const rudeSalt = 68204;
/** In a busy scene's time; a quiet one's is as long as for other scenes. */
const betweenRudeMs = 6000;

/** What clients do that only want to cost something. */
function rudenesses(seed: number, minutes: number, nodes: number): Operation[] {
  const random = new Random(seed ^ rudeSalt);
  const operations: Operation[] = [];
  for (let at = 4000; at < minutes * 60_000; at += random.below(2 * Math.max(betweenRudeMs, pauseAt(at)))) {
    const rude: Rude = {
      ...rudeness(random),
      isStaying: random.below(2) === 0,
      leaves: random.of(['closing', 'ending', 'silent']),
      afterMs: random.below(random.of([20, 500, 10_000])),
    };
    operations.push({ at, kind: 'rude', node: random.below(nodes), rude });
  }
  return operations;
}

function rudeness(random: Random): Rudeness {
  const does = random.weighted({ flood: 6, scan: 3, babble: 1 });
  switch (does) {
    case 'flood': {
      const user = random.of([...users, 'eve']);
      return { does, channel: random.of(channels), user, times: 1 + random.below(random.of([2, 10, 40])) };
    }
    case 'scan':
      return { does, times: random.below(4) === 0 ? maxNewChannels(60_000) : 1 + random.below(40) };
    case 'babble':
      return { does };
    default:
      return does satisfies never;
  }
}

const hostileSalt = 90271;
/** In a busy scene's time. */
const betweenHostileMs = 8000;

/** What hostile clients and tenants do: of random numbers of its own, as all that came after the first seeds. */
function hostilities(seed: number, minutes: number, nodes: number): Operation[] {
  const random = new Random(seed ^ hostileSalt);
  const operations: Operation[] = [];
  for (let at = 4000; at < minutes * 60_000; at += random.below(2 * Math.max(betweenHostileMs, pauseAt(at))))
    operations.push({ at, kind: 'hostile', node: random.below(nodes), hostility: hostility(random) });
  return operations;
}

const updateSalt = 37519;
/** In a busy scene's time. */
const betweenUpdatesMs = 2500;

/** What the application does to members, while they may come and go: several at almost the same time, by several nodes. */
function updates(seed: number, minutes: number, nodes: number): Operation[] {
  const random = new Random(seed ^ updateSalt);
  const operations: Operation[] = [];
  for (let at = 3000; at < minutes * 60_000; at += random.below(2 * Math.max(betweenUpdatesMs, pauseAt(at)))) {
    const [channel, user] = [random.of(channels.filter(hasMembers)), random.of(users)];
    const withinMs = random.of([1, 20, 400]);
    for (let left = 1 + random.below(4); left > 0; left--) {
      const info = `u${operations.length}`;
      operations.push({
        at: at + random.below(withinMs),
        kind: 'update',
        node: random.below(nodes),
        channel,
        user,
        info,
      });
    }
  }
  return operations;
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

function operation(
  random: Random,
  channel: string,
  n: number,
  nodes: number,
  clients: number,
): WithoutTime<CommonOperation> {
  const kind = random.weighted(weights);
  const [node, client] = [random.below(nodes), random.below(clients)];
  switch (kind) {
    case 'trigger':
      return { kind, node, channel, id: `e${n}` };
    case 'subscribe':
    case 'unsubscribe':
      return { kind, client, channel };
    case 'connect':
    case 'disconnect':
      return { kind, client };
    case 'break':
      return { kind, client, isSilent: random.below(3) === 0 };
    case 'freeze':
    case 'stallClient':
      return { kind, client, ms: random.below(8000) };
    case 'pause':
      return { kind, node, ms: random.below(12_000) };
    case 'stall':
      return { kind, node, ms: random.below(4000) };
    case 'clock':
      return { kind, node, ms: random.below(20_000) - 10_000 };
    case 'kill':
    case 'drain':
      return { kind, node, downMs: random.below(4000) };
    default:
      return kind satisfies never;
  }
}
