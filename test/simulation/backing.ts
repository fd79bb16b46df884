import type { Build } from './builds.js';
import { buildsOf } from './builds.js';
import type { Client, Servers } from './client.js';
import { Cluster } from './cluster.js';
import { Failures } from './failures.js';
import { MemberUpdates } from './member-updates.js';
import type { ServingNode } from './node.js';
import type { Prepare } from './prepare.js';
import type { Receiver } from './receiver.js';
import type { Record } from './record.js';
import type { ChannelsSchedule } from './schedule.js';
import type { StaleCounts } from './stale-counts.js';
import { Store } from './store.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** The nodes of a run, and what starts and ends them. */
export interface Nodes extends Servers {
  readonly serving: readonly ServingNode[];
  readonly receiver: Receiver;
  readonly counts: Pick<StaleCounts, 'includes'>;
  /** Channels and members whose webhooks need not be exact in the end. */
  readonly inexact: ReadonlySet<string>;
  start(): Promise<void>;
  kill(node: ServingNode): void;
  drain(node: ServingNode): void;
  /** Nothing is carried between it and what it shares for this time. */
  stall(node: ServingNode, milliseconds: number): void;
  /** Its connection for messages is closed for a while. */
  kick(node: ServingNode, awayMs: number, record: Record): void;
}

/** What the nodes of a run share, with the nodes on it and its ways to fail. */
export interface Backing {
  readonly store: Pick<Store, 'webhooks' | 'givenUp' | 'refuse' | 'tear' | 'lagBehind'>;
  readonly cluster: Nodes;
  readonly updates: Pick<MemberUpdates, 'make' | 'of' | 'wrong'>;
  failuresOf(clients: readonly Client[]): Pick<Failures, 'all' | 'mayRepeat' | 'failOver' | 'goDown'>;
}

/** What a backing is made for. */
export interface BackingParts {
  readonly world: World;
  readonly record: Record;
  readonly schedule: ChannelsSchedule;
  readonly prepare: Prepare;
}

/** A store in memory, with nodes of this build, and perhaps of a previous one. */
export const inMemory =
  (previous?: Build) =>
  ({ world, record, schedule, prepare }: BackingParts): Backing => {
    const store = new Store(world, record);
    const { isLoose, operations, limits } = schedule;
    const isBreakable = operations.some(({ kind }) => kind === 'failover' || kind === 'outage' || kind === 'kick');
    const buildOf = buildsOf(schedule, previous);
    const cluster = new Cluster({ world, store, prepare, isLoose, isBreakable, limits, buildOf });
    const updates = new MemberUpdates(
      (room) => store.state.presence.roster(room).members,
      (room, user) => store.state.presence.latest.of(room, user),
    );
    return {
      store,
      cluster,
      updates,
      failuresOf: (clients) => new Failures({ world, store, record, cluster, clients }),
    };
  };
