import { DeadWorkers, type Survivor } from '../../apps/server/src/workers/dead-workers.js';
import type { Remote, Item, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import type { WorkerNode } from '../../apps/server/src/workers/worker-node.js';
import { Node } from './node.js';
import { OwedWebhooks } from './owed-webhooks.js';
import type { Prepare } from './prepare.js';
import { Receiver } from './receiver.js';
import type { Store } from './store.js';
import { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** As over a pipe of one machine. */
const pipe = { least: 0.05, most: 0.5, slowShare: 0.02, slow: 20 };
/** As over connections to other machines: answers overtake each other. */
const network = { least: 0.2, most: 3, slowShare: 0.1, slow: 60 };

/** What is sent from or to the store, with a last word when the node's process has ended. */
type Sent = readonly Item[] | 'ended';

interface Member {
  readonly node: Node;
  /** The store's end of its link. */
  readonly link: RpcLink;
  readonly remote: Remote<WorkerNode>;
  readonly wires: readonly [Wire<Sent>, Wire<Sent>];
  /** Webhooks that are lost if it dies now. */
  readonly owed: OwedWebhooks;
  nodeId: string | undefined;
}

/** The nodes, and what the process that started them does: it knows which are alive, and has the dead taken out. */
export class Cluster {
  readonly receiver: Receiver;
  /** Whether a node was killed, or has ended. */
  hasKilled = false;
  /** Channels and members whose webhooks are not exact: see {@link OwedWebhooks} and {@link isGone}. */
  private readonly untold = new Set<string>();
  private readonly members = new Map<Node, Member>();
  private readonly survivors = new Set<Survivor>();
  private readonly dead = new DeadWorkers(this.survivors);
  private started = 0;

  /** @param isLoose whether answers of the store overtake each other */
  constructor(
    private readonly world: World,
    private readonly store: Store,
    private readonly prepare: Prepare,
    readonly isLoose: boolean,
  ) {
    this.receiver = new Receiver(world);
  }

  /** The nodes that clients can connect to. */
  get serving(): readonly Node[] {
    return [...this.members.keys()].filter(({ isAlive, isDraining }) => isAlive && !isDraining);
  }

  /** Channels and members whose webhooks need not be exact in the end: see {@link OwedWebhooks}. */
  get inexact(): ReadonlySet<string> {
    return new Set([...this.untold, ...[...this.members.values()].flatMap(({ owed }) => [...owed.returned])]);
  }

  /** One of them, always the same for a number. */
  nodeFor(number: number): Node | undefined {
    const { serving } = this;
    return serving[number % serving.length];
  }

  async start(): Promise<void> {
    const { world, store } = this;
    const name = `node ${(this.started += 1)}`;
    const latency = this.isLoose ? network : pipe;
    const owed = new OwedWebhooks((subject, isTwice) => this.isGone(owed, subject, isTwice));
    const up: Wire<Sent> = new Wire(world, `${name} to store`, store.party, latency, (sent) => {
      if (sent === 'ended') return this.gone(member);
      owed.asked(sent);
      link.take(sent);
    });
    const { receiver, prepare } = this;
    const node = new Node(name, { world, receiver, prepare, send: (items) => up.send(items) });
    const down: Wire<Sent> = new Wire(world, `store to ${name}`, node.party, latency, (sent) => node.link.take(sent));
    const link = store.join((items) => {
      owed.answered(items);
      this.send(down, items);
    });
    const member: Member = { node, link, remote: link.remote('node'), wires: [up, down], owed, nodeId: undefined };
    link.serve('worker', { isNamed: (nodeId: string) => void (member.nodeId = nodeId) });
    await node.start();
    this.members.set(node, member);
    world.note(`${name} has started`);
    world.after(0, () => this.serves(member), store.party);
  }

  kill(node: Node): void {
    if (!node.isAlive) return;
    this.hasKilled = true;
    node.kill();
    this.members.get(node)?.wires[0].send('ended');
  }

  drain(node: Node): void {
    void node.drain().then(() => {
      // What is due in this turn is sent.
      this.world.after(0, () => this.kill(node), node.party);
    });
  }

  stall(node: Node, milliseconds: number): void {
    for (const wire of this.members.get(node)?.wires ?? []) wire.stall(milliseconds);
  }

  private send(down: Wire<Sent>, items: readonly Item[]): void {
    if (!this.isLoose) return down.send(items);
    const isAnswer = ([id]: Item): boolean => id < 0;
    const calls = items.filter((item) => !isAnswer(item));
    if (calls.length > 0) down.send(calls);
    for (const answer of items.filter(isAnswer)) down.send([answer], false);
  }

  /**
   * A node that is stuck for longer than webhooks are held may say that a channel is occupied after another has said
   * that it is vacated again.
   */
  private isGone(owed: OwedWebhooks, subject: string, isTwice: boolean): void {
    if (isTwice) this.untold.add(subject);
    for (const { owed: other } of this.members.values())
      if (other !== owed && other.subjects.has(subject)) this.untold.add(subject);
  }

  private serves({ node, remote }: Member): void {
    if (!node.isAlive) return;
    this.survivors.add(remote);
    this.tellOthers();
    void this.dead.takeOut();
  }

  private gone({ node, link, remote, owed, nodeId }: Member): void {
    this.members.delete(node);
    this.survivors.delete(remote);
    this.store.leave(link);
    this.tellOthers();
    for (const subject of owed.lost) this.untold.add(subject);
    this.world.note(`${node.name} is gone`);
    if (nodeId !== undefined) void this.dead.add(nodeId);
  }

  private tellOthers(): void {
    for (const { node, remote } of this.members.values())
      if (node.isAlive) remote.others(this.members.size - 1).catch(() => undefined);
  }
}
