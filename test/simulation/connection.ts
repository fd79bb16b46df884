import { workerServices } from '../../apps/server/src/workers/link-services.js';
import type { Item, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import type { Party } from '../../libs/testing/src/simulation/party.js';
import { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { World } from '../../libs/testing/src/simulation/world.js';
import type { OwedWebhooks } from './owed-webhooks.js';
import type { StaleCounts } from './stale-counts.js';
import type { Store } from './store.js';

/** As over a pipe of one machine. */
const pipe = { least: 0.05, most: 0.5, slowShare: 0.02, slow: 20 };
/** As over connections to other machines: answers overtake each other. */
const network = { least: 0.2, most: 3, slowShare: 0.1, slow: 60 };

/** What is sent from or to the store, with a last word when the node's process has ended. */
type Sent = readonly Item[] | 'ended';

/** What a connection is made of. */
export interface ConnectionParts {
  readonly world: World;
  readonly store: Store;
  readonly name: string;
  /** The node. */
  readonly party: Party;
  readonly owed: OwedWebhooks;
  readonly counts: StaleCounts;
  /** Whether answers of the store overtake each other. */
  readonly isLoose: boolean;
  /** Takes what arrives at the node. */
  readonly take: (items: readonly Item[]) => void;
  /** Called when the node's process has ended. */
  readonly ended: () => void;
}

/** A connection between a node and the store. */
export class Connection {
  /** The store's end. */
  readonly link: RpcLink;
  private readonly up: Wire<Sent>;
  private readonly down: Wire<Sent>;

  constructor(private readonly parts: ConnectionParts) {
    const { world, store, name, party, owed, counts, isLoose, take, ended } = parts;
    const latency = isLoose ? network : pipe;
    this.up = new Wire(world, `${name} to store`, store.party, latency, (sent) => {
      if (sent === 'ended') return ended();
      owed.asked(sent, (count) => store.takes(count));
      counts.asked(name, sent, world.now);
      this.link.take(sent);
    });
    this.down = new Wire(world, `store to ${name}`, party, latency, (sent) => take(sent as readonly Item[]));
    this.link = store.join((items) => {
      owed.answered(items);
      this.answer(items);
    });
  }

  others(count: number): Promise<void> {
    return this.link.call(workerServices.node, 'others', count);
  }

  takeOut(nodeId: string): Promise<void> {
    return this.link.call(workerServices.node, 'takeOut', nodeId);
  }

  /** The node sends something. */
  send(items: readonly Item[]): void {
    this.up.send(JSON.parse(JSON.stringify(items)) as readonly Item[]);
  }

  /** The node's process has ended; what it has sent arrives. */
  end(): void {
    this.up.send('ended');
  }

  stall(milliseconds: number): void {
    for (const wire of [this.up, this.down]) wire.stall(milliseconds);
  }

  /** What is on the way is lost. @returns when the first of what the store sent may have been sent */
  cut(): number {
    const { up, down } = this;
    const { store, owed } = this.parts;
    up.cut();
    down.cut();
    owed.cut();
    store.leave(this.link);
    return this.sentSince;
  }

  /** When the first of what the store has sent, and is on its way, may have been sent. */
  get sentSince(): number {
    return this.down.onTheWay > 0 ? this.down.busySince : this.parts.world.now;
  }

  private answer(items: readonly Item[]): void {
    if (!this.parts.isLoose) return this.down.send(items);
    const isAnswer = ([id]: Item): boolean => id < 0;
    const calls = items.filter((item) => !isAnswer(item));
    if (calls.length > 0) this.down.send(calls);
    for (const answer of items.filter(isAnswer)) this.down.send([answer], false);
  }
}
