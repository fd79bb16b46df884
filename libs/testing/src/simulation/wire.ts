import type { Party } from './party.js';
import type { World } from './world.js';

/** How long messages travel, in milliseconds. */
export interface Latency {
  readonly least: number;
  readonly most: number;
  /** How often one takes `slow` in addition. */
  readonly slowShare: number;
  readonly slow: number;
}

/** One direction between two parties: messages arrive in order, each once, unless the wire is cut. */
export class Wire<Message> {
  private readonly random;
  private arrivesAt = 0;
  private stalledUntil = 0;
  private isCut = false;
  /** Messages on the way. */
  onTheWay = 0;
  /** When the first of them was sent, or one before it that has arrived. */
  busySince = 0;

  /** @param isOrdered false: messages overtake each other, as over several connections */
  constructor(
    private readonly world: World,
    name: string,
    private readonly to: Party,
    private readonly latency: Latency,
    private readonly arrive: (message: Message) => void,
  ) {
    this.random = world.random(`wire ${name}`);
  }

  send(message: Message, isOrdered = true): void {
    if (this.isCut) return;
    const { least, most, slowShare, slow } = this.latency;
    const extra = this.random.next() < slowShare ? slow * this.random.next() : 0;
    const at = Math.max(this.world.now, this.stalledUntil) + least + (most - least) * this.random.next() + extra;
    if (isOrdered) this.arrivesAt = Math.max(this.arrivesAt, at);
    if (this.onTheWay === 0) this.busySince = this.world.now;
    this.onTheWay += 1;
    const arrived = (): void => {
      this.onTheWay -= 1;
      if (!this.isCut) this.arrive(message);
    };
    this.world.at(isOrdered ? this.arrivesAt : at, arrived, this.to);
  }

  /** Nothing that is sent arrives before the time is over. */
  stall(milliseconds: number): void {
    this.stalledUntil = Math.max(this.stalledUntil, this.world.now + milliseconds);
  }

  /** What is on the way is lost. */
  cut(): void {
    this.isCut = true;
  }
}
