import { type Item, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import type { SharedPorts } from '../../apps/server/src/workers/shared-ports.js';

/** A worker's link to shared ports in the same process; messages travel as JSON all the same. */
export class LinkedWorker {
  readonly link: RpcLink = new RpcLink((items) => this.otherEnd.take(overTheWire(items)));
  /** The other end of it. */
  readonly otherEnd = new RpcLink((items) => {
    this.received.push(...items);
    this.link.take(overTheWire(items));
  });
  /** All that came from the other end. */
  readonly received: Item[] = [];

  constructor(shared: SharedPorts) {
    shared.join(this.otherEnd);
  }
}

const overTheWire = (items: readonly Item[]): readonly Item[] => JSON.parse(JSON.stringify(items)) as readonly Item[];
