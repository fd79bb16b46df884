import { type Item, Link } from '../../apps/server/src/workers/link.js';
import type { Relay } from '../../apps/server/src/workers/relay.js';

/** A worker's link to a relay in the same process; what travels is JSON all the same. */
export class LinkedWorker {
  readonly link: Link = new Link((items) => this.relayed.take(overTheWire(items)));
  /** The relay's end of it. */
  readonly relayed = new Link((items) => {
    this.received.push(...items);
    this.link.take(overTheWire(items));
  });
  /** All that has come from the relay. */
  readonly received: Item[] = [];

  constructor(relay: Relay) {
    relay.join(this.relayed);
  }
}

const overTheWire = (items: readonly Item[]): readonly Item[] => JSON.parse(JSON.stringify(items)) as readonly Item[];
