import { clientNetwork } from './client-network.js';

/** How often late input is looked for. */
const roundMs = 1000;

/** A request or message of a client, of which bytes are still to come. */
export interface UnfinishedOwner {
  /** The address of its client. */
  readonly inputAddress: string;
  /** Gives up what has come: too much is unfinished in this process, and most of it is of this client's network. */
  refuseInput(): void;
  /** Called when it has been unfinished for {@link UnfinishedInput.patienceMs}; absent where another timeout applies. */
  inputIsLate?(): void;
}

interface Unfinished {
  bytes: number;
  since: number;
  readonly network: string | undefined;
}

interface Group {
  bytes: number;
  largest: UnfinishedOwner;
  largestBytes: number;
}

/**
 * The input of clients that this process keeps until the rest has come, whether by WebSocket or HTTP. Beyond a total, the
 * largest input of the network that holds most is refused, never the newest or the smallest. Clients of private addresses
 * count each for themselves.
 */
export class UnfinishedInput {
  /** The total, in bytes. */
  most = 67_108_864;
  /** How long a message may take from its first byte to its last, in milliseconds. */
  patienceMs = 60_000;
  /** The bytes held. */
  bytes = 0;
  private readonly held = new Map<UnfinishedOwner, Unfinished>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * Notes how much of an owner's input is unfinished now; 0 once nothing is.
   * @param isNext whether it is another message or request than the last time
   */
  hold(owner: UnfinishedOwner, bytes: number, isNext = false): void {
    const known = this.held.get(owner);
    this.bytes += bytes - (known?.bytes ?? 0);
    if (bytes === 0) this.forget(owner);
    else if (known) {
      known.bytes = bytes;
      if (isNext) known.since = performance.now();
    } else this.held.set(owner, { bytes, since: performance.now(), network: clientNetwork(owner.inputAddress) });
    if (bytes > 0) this.timer ??= setInterval(() => this.round(), roundMs).unref();
    while (this.bytes > this.most) this.refuseLargest();
  }

  private forget(owner: UnfinishedOwner): void {
    this.held.delete(owner);
    if (this.held.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private round(): void {
    const before = performance.now() - this.patienceMs;
    for (const [owner, { since }] of this.held) if (since < before) owner.inputIsLate?.();
  }

  private refuseLargest(): void {
    const groups = new Map<string | UnfinishedOwner, Group>();
    let most: Group | undefined;
    for (const [owner, { bytes, network }] of this.held) {
      const group = groups.get(network ?? owner) ?? { bytes: 0, largest: owner, largestBytes: 0 };
      groups.set(network ?? owner, group);
      group.bytes += bytes;
      if (bytes > group.largestBytes) Object.assign(group, { largest: owner, largestBytes: bytes });
      if (!most || group.bytes > most.bytes) most = group;
    }
    if (!most) return void (this.bytes = 0);
    this.hold(most.largest, 0);
    most.largest.refuseInput();
  }
}

/** Of this process, whichever servers and applications it has. */
export const unfinishedInput = new UnfinishedInput();
