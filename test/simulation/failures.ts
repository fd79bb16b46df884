import type { Client } from './client.js';
import type { Cluster } from './cluster.js';
import type { Record } from './record.js';
import type { Store } from './store.js';
import type { StoreState } from './store-state.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** For this time after a store has lost its memory, it may lack what nodes hold. */
const incompleteMs = 4000;
/** For this time after nodes have announced what they hold, webhooks may be about that: a node may be paused. */
const webhooksMs = 30_000;

/** The store was away. Webhooks of that time may be sent twice, as docs/scaling.md says. */
export interface Failure {
  readonly from: number;
  /** When it had what all nodes hold again. */
  wholeAt: number;
  /** If it lost its latest changes: those since then. */
  readonly since?: number;
  /** What it had then. */
  present?: ReadonlySet<string>;
  /** The subjects whose webhooks the nodes had yet to store when it went away. */
  readonly owed?: ReadonlySet<string>;
}

/** What failures are about. */
export interface FailureParts {
  readonly world: World;
  readonly store: Store;
  readonly record: Record;
  readonly cluster: Cluster;
  readonly clients: readonly Client[];
}

/** Lets the store fail, one time after the other. */
export class Failures {
  readonly all: Failure[] = [];
  private isFailing = false;

  constructor(private readonly parts: FailureParts) {}

  /** Whether a webhook that is stored then may repeat an earlier one. */
  mayRepeat(at: number): boolean {
    return this.all.some(({ from, wholeAt }) => from <= at && at <= wholeAt + webhooksMs);
  }

  /** The store fails over to a replica that lacks the latest. */
  failOver(lagMs: number, awayMs: number): void {
    const { world, store, record, clients } = this.parts;
    if (this.isFailing) return;
    this.isFailing = true;
    const [since, replica] = [world.now, store.state.copy];
    world.after(lagMs, () => {
      record.lose(since);
      for (const client of clients) client.isForgotten(since);
      this.goAway(awayMs, { since, next: replica });
    });
  }

  /** The store is away, and comes back with its memory or without. */
  goDown(awayMs: number, forgets: boolean): void {
    if (this.isFailing) return;
    this.isFailing = true;
    this.goAway(
      awayMs,
      forgets ? { since: Infinity, next: this.parts.store.state.forgotten, isEmpty: true } : undefined,
    );
  }

  private goAway(awayMs: number, lost?: Lost): void {
    const { world, store, record, cluster, clients } = this.parts;
    const mended = record.cut(cluster.cutOff());
    if (lost) store.become(lost.next);
    if (lost?.isEmpty) for (const client of clients) client.isUnknown();
    const failure: Failure = {
      from: world.now,
      wholeAt: Infinity,
      ...(lost && { since: lost.since, owed: cluster.owed }),
    };
    this.all.push(failure);
    const isWhole = (): void => {
      mended(world.now);
      failure.wholeAt = world.now;
      if (lost) failure.present = store.state.subjects;
      this.isFailing = false;
    };
    const isBack = (): void => {
      world.note('the store is back');
      cluster.mend(lost?.since ?? Infinity, lost?.isEmpty ? world.now + incompleteMs : 0, isWhole);
    };
    world.after(awayMs, isBack, world.outside);
  }
}

interface Lost {
  /** Changes since then are lost. */
  readonly since: number;
  readonly next: StoreState;
  readonly isEmpty?: true;
}
