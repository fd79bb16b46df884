import { DeadWorkers, type Survivor } from '../../apps/server/src/workers/dead-workers.js';
import { primaryServices } from '../../apps/server/src/workers/link-services.js';
import type { RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { type Build, type BuildOf, thisBuild } from './builds.js';
import { Connection } from './connection.js';
import type { LimitsOfApp } from './limits/limits-of-app.js';
import type { Node } from './node.js';
import { NodeLink } from './node-link.js';
import { OwedWebhooks } from './owed-webhooks.js';
import type { Prepare } from './prepare.js';
import { Receiver } from './receiver.js';
import type { Record } from './record.js';
import { StaleCounts } from './stale-counts.js';
import type { Store } from './store.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** How long it takes a node to notice that its connection has broken, and then to connect again, at most. */
const [noticeMs, reconnectMs] = [500, 1500];
/** A node that cannot start without the store is started again after this time. */
const restartMs = 500;
/** For this time, nodes that should take out a dead one may be stuck. */
const takingOutMs = 60_000;

interface Member {
  readonly node: Node;
  readonly build: Build;
  connection: Connection;
  /** Webhooks that are lost if it dies now. */
  readonly owed: OwedWebhooks;
  nodeId: string | undefined;
}

/** What the cluster is made of. */
export interface ClusterParts {
  readonly world: World;
  readonly store: Store;
  readonly prepare: Prepare;
  /** Whether answers of the store overtake each other. */
  readonly isLoose: boolean;
  /** Whether connections to the store may break. */
  readonly isBreakable: boolean;
  readonly limits: LimitsOfApp | undefined;
  readonly buildOf: BuildOf;
}

/** The nodes, and what the process that started them does: it knows which are alive, and has the dead taken out. */
export class Cluster {
  readonly receiver: Receiver;
  readonly counts = new StaleCounts();
  /** Whether a node was killed, or has ended. */
  hasKilled = false;
  /** Channels and members whose webhooks are not exact: see {@link OwedWebhooks} and {@link isGone}. */
  private readonly untold = new Set<string>();
  private readonly members = new Map<Node, Member>();
  private readonly survivors = new Set<Survivor>();
  private readonly dead = new DeadWorkers(this.survivors);
  /** The nodes that have ended, and when. */
  private readonly ended: { readonly nodeId: string; readonly at: number }[] = [];
  private started = 0;
  private isAway = false;
  /** Until then the store may lack what nodes hold. */
  private completeAt = 0;
  /** Nodes that have not done yet what they owe to a store that was away. */
  private readonly owing = new Set<Member>();
  private whole: (() => void) | undefined;

  constructor(private readonly parts: ClusterParts) {
    this.receiver = new Receiver(parts.world);
  }

  /** Whether answers of the store overtake each other. */
  get isLoose(): boolean {
    return this.parts.isLoose;
  }

  /** The nodes that clients can connect to. */
  get serving(): readonly Node[] {
    return [...this.members.keys()].filter(({ isAlive, isDraining }) => isAlive && !isDraining);
  }

  /** Channels and members whose webhooks need not be exact in the end: see {@link OwedWebhooks}. */
  get inexact(): ReadonlySet<string> {
    return new Set([...this.untold, ...[...this.members.values()].flatMap(({ owed }) => [...owed.returned])]);
  }

  /** The channels and members of which nodes have yet to store webhooks. */
  get owed(): ReadonlySet<string> {
    return new Set([...this.members.values()].flatMap(({ owed }) => [...owed.lost]));
  }

  /** One of them, always the same for a number. */
  nodeFor(number: number): Node | undefined {
    const { serving } = this;
    return serving[number % serving.length];
  }

  async start(): Promise<void> {
    const { world, store, isBreakable, limits, buildOf } = this.parts;
    if (this.isAway) return void world.after(restartMs, () => this.start());
    const name = `node ${(this.started += 1)}`;
    const build = buildOf(this.started);
    // Only this build has what is changed.
    const prepare: Prepare = build === thisBuild ? this.parts.prepare : (module) => module;
    const owed = new OwedWebhooks(
      (subject, isTwice) => this.isGone(owed, subject, isTwice),
      (subject) => this.isLeaving(subject),
    );
    const inner = new build.RpcLink((items) => connection.send(items));
    const breakable = isBreakable ? new build.NodeLink(name) : undefined;
    const link = breakable ?? inner;
    const node = new build.Node(name, { world, receiver: this.receiver, prepare, link, limits });
    const connection = this.connect(node, owed, inner, () => member);
    const member: Member = { node, build, connection, owed, nodeId: undefined };
    if (breakable) void breakable.renewed(inner, 0);
    await node.start();
    if (breakable) {
      breakable.owes(node.nodes);
      const leftMs = this.completeAt - world.now;
      const hears = (): void => void breakable.hearsOfLoss(this.completeAt);
      if (leftMs > 0) world.after(world.random(`late news of ${name}`).below(leftMs), hears, node.party);
    }
    this.members.set(node, member);
    world.note(`${name} has started${build === thisBuild ? '' : ' as the previous build'}`);
    world.after(0, () => this.serves(member), store.party);
  }

  kill(node: Node): void {
    if (!node.isAlive) return;
    this.hasKilled = true;
    node.kill();
    this.members.get(node)?.connection.end();
  }

  drain(node: Node): void {
    const { world } = this.parts;
    // What is due in its last turn is sent.
    const ended = (): void => void world.after(0, () => this.kill(node), node.party);
    node.isDraining = true;
    world.after(0, () => void node.drain().then(ended), node.party);
  }

  stall(node: Node, milliseconds: number): void {
    this.members.get(node)?.connection.stall(milliseconds);
  }

  /** A node's connection for messages is closed for a while. Those under way are lost. */
  kick(node: Node, awayMs: number, record: Record): void {
    const { world } = this.parts;
    const { link, party } = node;
    // The build before does not know it.
    if (!(link instanceof NodeLink)) return;
    const connection = this.members.get(node)?.connection;
    if (!connection) return;
    const mended = record.cut(connection.sentSince);
    world.after(0, () => void link.kicked(awayMs).then(() => mended(world.now)), party);
  }

  /** All connections to the store break. @returns when the first message that is lost may have been sent */
  cutOff(): number {
    const { world } = this.parts;
    const random = world.random('broken connections');
    this.isAway = true;
    return Math.min(
      ...Array.from(this.members.values(), ({ node, connection }) => {
        this.survivors.delete(connection);
        world.after(random.below(noticeMs), () => (node.link as NodeLink).broke(), node.party);
        return connection.cut();
      }),
      world.now,
    );
  }

  /**
   * The store is back: nodes connect again.
   *
   * @param since the store lacks that a node was taken out after this time
   * @param completeAt until when it may lack what nodes hold
   * @param whole called when all nodes have done what they owe
   */
  mend(since: number, completeAt: number, whole: () => void): void {
    const { world } = this.parts;
    const random = world.random('broken connections');
    this.isAway = false;
    this.completeAt = completeAt;
    this.whole = whole;
    for (const member of this.members.values()) {
      this.owing.add(member);
      world.after(noticeMs + random.below(reconnectMs), () => this.connectAgain(member, completeAt), world.outside);
    }
    for (const { nodeId, at } of this.ended) if (at >= since - takingOutMs) void this.dead.add(nodeId);
    this.isWhole();
  }

  private connect(node: Node, owed: OwedWebhooks, link: RpcLink, member: () => Member): Connection {
    const { world, store, isLoose } = this.parts;
    const { name, party } = node;
    const ended = (): void => this.gone(member());
    const take = link.take.bind(link);
    const { counts } = this;
    const connection = new Connection({ world, store, name, party, owed, counts, isLoose, take, ended });
    connection.link.serve(primaryServices.worker, {
      isNamed: (nodeId) => void (member().nodeId = nodeId),
      listens: () => {},
      fails: () => {},
      stoppedTaking: async () => {},
    });
    return connection;
  }

  private connectAgain(member: Member, completeAt: number): void {
    const { world, store } = this.parts;
    const { node, build, owed } = member;
    if (!node.isAlive) return this.gone(member);
    const link = new build.RpcLink((items) => connection.send(items));
    const connection = this.connect(node, owed, link, () => member);
    member.connection = connection;
    const renew = async (): Promise<void> => {
      await (node.link as NodeLink).renewed(link, completeAt);
      if (member.connection === connection) this.isWhole(member);
    };
    world.after(0, () => void renew(), node.party);
    world.after(0, () => this.serves(member), store.party);
  }

  private isWhole(member?: Member): void {
    if (member) this.owing.delete(member);
    if (this.owing.size > 0) return;
    this.whole?.();
    this.whole = undefined;
  }

  /**
   * A node that is stuck for longer than webhooks are held may say that a channel is occupied, or vacated, after another
   * has said that it is vacated again; what it has not confirmed hides that the channel was occupied in between.
   */
  private isGone(owed: OwedWebhooks, subject: string, isTwice: boolean): void {
    if (isTwice) this.untold.add(subject);
    for (const { owed: other } of this.members.values())
      if (other !== owed && other.isAbout(subject)) this.untold.add(subject);
  }

  /** It has left, come back and left again while the first webhook is not stored yet: none says that it was back. */
  private isLeaving(subject: string): void {
    for (const { owed } of this.members.values()) if (owed.leaving.has(subject)) this.untold.add(subject);
  }

  private serves({ node, connection }: Member): void {
    if (!node.isAlive) return;
    this.survivors.add(connection);
    this.announceCounts();
    void this.dead.takeOut();
  }

  private gone(member: Member): void {
    const { node, connection, owed, nodeId } = member;
    const { world, store } = this.parts;
    this.members.delete(node);
    this.survivors.delete(connection);
    store.leave(connection.link);
    this.announceCounts();
    for (const subject of owed.lost) this.untold.add(subject);
    this.counts.gone(node.name, world.now);
    world.note(`${node.name} is gone`);
    this.isWhole(member);
    if (nodeId === undefined) return;
    this.ended.push({ nodeId, at: world.now });
    void this.dead.add(nodeId);
  }

  private announceCounts(): void {
    for (const { node, connection } of this.members.values())
      if (node.isAlive) connection.others(this.members.size - 1).catch(() => undefined);
  }
}
