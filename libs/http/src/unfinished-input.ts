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
  readonly address: string;
}

/** Limits of an application on unfinished input. */
export interface UnfinishedLimits {
  /** The total, in bytes. */
  readonly most: number;
  /** How long a message may take from its first byte to its last, in milliseconds. */
  readonly patienceMs: number;
}

/** What one network holds: its owners, those with most last. */
interface Group {
  bytes: number;
  readonly owners: [owner: UnfinishedOwner, bytes: number][];
}

/** The room that is made at once, as a part of all: who holds most is not looked up for each piece that arrives. */
const spare = 1 / 16;

/**
 * The input of clients that this process keeps until the rest has come, whether by WebSocket or HTTP. Beyond a total, the
 * largest input of the network that holds most is refused, never the newest or the smallest. Clients of private addresses
 * count each for themselves.
 */
export class UnfinishedInput {
  private readonly limits: UnfinishedLimits[] = [{ most: 67_108_864, patienceMs: 60_000 }];
  /** The bytes held. */
  bytes = 0;
  private readonly held = new Map<UnfinishedOwner, Unfinished>();
  private timer: NodeJS.Timeout | undefined;

  get most(): number {
    return this.limits.at(-1)!.most;
  }

  get patienceMs(): number {
    return this.limits.at(-1)!.patienceMs;
  }

  /**
   * Sets the limits: of several applications in a process, those of the latest apply.
   * @returns ends them, when the application closes
   */
  limit(limits: UnfinishedLimits): () => void {
    this.limits.push(limits);
    return () => {
      const at = this.limits.indexOf(limits);
      if (at > 0) this.limits.splice(at, 1);
    };
  }

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
    } else this.held.set(owner, { bytes, since: performance.now(), address: owner.inputAddress });
    if (bytes > 0) this.timer ??= setInterval(() => this.round(), roundMs).unref();
    if (this.bytes > this.most) this.makeRoom();
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

  private makeRoom(): void {
    const groups = this.groups();
    for (let group = groups.pop(); group && this.bytes > this.most * (1 - spare); group = groups.pop()) {
      const [owner, bytes] = group.owners.pop()!;
      group.bytes -= bytes;
      if (group.bytes > 0) insert(groups, group);
      this.hold(owner, 0);
      owner.refuseInput();
    }
  }

  /** Those with most last. */
  private groups(): Group[] {
    const groups = new Map<string | UnfinishedOwner, Group>();
    for (const [owner, { bytes, address }] of this.held) {
      const client = clientNetwork(address) ?? owner;
      const group = groups.get(client) ?? { bytes: 0, owners: [] };
      groups.set(client, group);
      group.bytes += bytes;
      group.owners.push([owner, bytes]);
    }
    for (const { owners } of groups.values()) owners.sort(([, one], [, other]) => one - other);
    return Array.from(groups.values()).sort((one, other) => one.bytes - other.bytes);
  }
}

/** Those with most are last, and stay it: most often the group is among them. */
function insert(groups: Group[], group: Group): void {
  let at = groups.length;
  while (at > 0 && groups[at - 1]!.bytes > group.bytes) at--;
  groups.splice(at, 0, group);
}

/** Of this process, whichever servers and applications it has. */
export const unfinishedInput = new UnfinishedInput();
