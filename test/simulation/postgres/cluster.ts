import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Nodes } from '../backing.js';
import type { LimitsOfApp } from '../limits/limits-of-app.js';
import { OwedWebhooks } from '../owed-webhooks.js';
import type { Prepare } from '../prepare.js';
import { Receiver } from '../receiver.js';
import { StaleCounts } from '../stale-counts.js';
import type { CommittedEvents } from './committed-events.js';
import { PostgresNode } from './node.js';
import { observe } from './observing.js';
import type { Queue } from './queue.js';
import type { PostgresServer } from './server.js';

/** A node that cannot start is started again after this time. */
const restartMs = 500;
/** How long it takes the server to notice that a process has ended, at most. */
const endMs = 5;

/** What the cluster is made of. */
export interface PostgresClusterParts {
  readonly world: World;
  readonly server: PostgresServer;
  readonly queue: Queue;
  readonly events: CommittedEvents;
  readonly prepare: Prepare;
  readonly limits: LimitsOfApp | undefined;
}

/** Processes on one PostgreSQL. Nothing but their leases shows them which of them are alive. */
export class PostgresCluster implements Nodes {
  readonly receiver: Receiver;
  readonly counts = new StaleCounts();
  readonly isLoose = true;
  hasKilled = false;
  private readonly untold = new Set<string>();
  private readonly members = new Map<PostgresNode, OwedWebhooks>();
  private started = 0;

  constructor(private readonly parts: PostgresClusterParts) {
    this.receiver = new Receiver(parts.world);
  }

  get serving(): readonly PostgresNode[] {
    return [...this.members.keys()].filter(({ isAlive, isServing, isDraining }) => isAlive && isServing && !isDraining);
  }

  get inexact(): ReadonlySet<string> {
    return new Set([...this.untold, ...[...this.members.values()].flatMap(({ returned }) => [...returned])]);
  }

  /** The channels and members of which nodes have yet to store webhooks. */
  get owed(): ReadonlySet<string> {
    return new Set([...this.members.values()].flatMap(({ lost }) => [...lost]));
  }

  nodeFor(number: number): PostgresNode | undefined {
    const { serving } = this;
    return serving[number % serving.length];
  }

  async start(): Promise<void> {
    const { world, server, queue, events, prepare, limits } = this.parts;
    if (!server.isFree) return void world.after(restartMs, () => this.start(), world.outside);
    const name = `node ${(this.started += 1)}`;
    const owed = new OwedWebhooks(
      (subject, isTwice) => this.isGone(owed, subject, isTwice),
      (subject) => this.isLeaving(subject),
    );
    const node: PostgresNode = new PostgresNode(name, {
      world,
      server,
      receiver: this.receiver,
      prepare,
      limits,
      queue,
      owed,
    });
    const observed = await node.compiled();
    observe(observed, {
      world,
      name,
      owed,
      counts: this.counts,
      delivers: (message) => events.delivered(message, node.isAlone ? this.cutOff(node) : []),
    });
    this.members.set(node, owed);
    world.after(0, () => void this.begin(node), node.party);
  }

  kill(node: PostgresNode): void {
    const { world, server } = this.parts;
    if (!node.isAlive) return;
    this.hasKilled = true;
    node.kill();
    const owed = this.members.get(node);
    this.members.delete(node);
    for (const subject of owed?.lost ?? []) this.untold.add(subject);
    this.counts.gone(node.name, world.now);
    world.note(`${node.name} is gone`);
    world.after(world.random('ends of processes').below(endMs), () => server.left(node.party), server.party);
  }

  drain(node: PostgresNode): void {
    const { world } = this.parts;
    const ended = (): void => void world.after(0, () => this.kill(node), world.outside);
    node.isDraining = true;
    world.after(0, () => void node.drain().then(ended), node.party);
  }

  stall(node: PostgresNode, milliseconds: number): void {
    this.parts.server.stall(node.party, milliseconds);
  }

  /** Its notifications are lost from now on, which it does not know until the connection breaks. */
  kick(node: PostgresNode, awayMs: number): void {
    this.parts.server.dropListeners(node.party, awayMs);
  }

  /** For this time, PostgreSQL goes on, and what it sends arrives late. */
  silence(milliseconds: number): void {
    for (const { party } of this.members.keys()) this.parts.server.stall(party, milliseconds);
  }

  /** PostgreSQL loses the messages that it carries: those that a node has not read yet never arrive there. */
  loseCarried(): void {
    const { events, server } = this.parts;
    for (const { name, readUntil } of this.members.keys())
      if (readUntil !== undefined) events.lost(server, name, readUntil);
  }

  /**
   * The nodes that have yet to notice that PostgreSQL has crashed, or that another is alone, or to join it: they will report
   * that they may have missed what it delivers meanwhile.
   */
  private cutOff(from: PostgresNode): readonly string[] {
    const [[epoch] = []] = this.parts.server.rows('SELECT id FROM rookery_message_epoch');
    const others = [...this.members.keys()].filter((each) => each !== from);
    return others.filter((each) => each.messageEpoch !== epoch || each.mayMissMore).map(({ name }) => name);
  }

  private async begin(node: PostgresNode): Promise<void> {
    const { world } = this.parts;
    try {
      await node.start();
      world.note(`${node.name} has started`);
    } catch (error) {
      world.note(`${node.name} cannot start: ${String(error)}`);
      world.after(0, () => this.kill(node), world.outside);
      world.after(restartMs, () => this.start(), world.outside);
    }
  }

  /** As in the cluster on a store in memory. */
  private isGone(owed: OwedWebhooks, subject: string, isTwice: boolean): void {
    if (isTwice) this.untold.add(subject);
    for (const other of this.members.values()) if (other !== owed && other.isAbout(subject)) this.untold.add(subject);
  }

  private isLeaving(subject: string): void {
    for (const { leaving } of this.members.values()) if (leaving.has(subject)) this.untold.add(subject);
  }
}
