/** An owner may hold at most this multiple of the free slots. */
const shareOfFree = 9;

/** What a caller that may have to wait says of itself. */
export interface Caller {
  /** Clients of an owner take turns: one that asks for much delays no other. The calls of one keep their order. */
  readonly client?: string;
  /** Called if it has to wait, with what ends the wait: `take` then throws the reason. */
  readonly waits?: (giveUp: (reason: Error) => void) => void;
}

/**
 * Limits concurrent work, shared by owners, such as apps. A single owner gets `most` slots. The total is a ninth more, and
 * no owner may hold more than nine times the number of free slots: so an owner without slots always finds one, even
 * while all work of another hangs, and busy owners end up with equal shares.
 */
export class ConcurrencyLimiter {
  /** Operators add owners, not clients: none is forgotten. */
  private readonly owners = new Map<string, OwnerSlots>();
  private readonly waiting = new Set<OwnerSlots>();
  private free: number;

  constructor(private readonly most: number) {
    this.free = most + Math.ceil(most / shareOfFree);
  }

  /** The slots of one owner. */
  of(owner: string): OwnerSlots {
    let slots = this.owners.get(owner);
    if (!slots) this.owners.set(owner, (slots = new OwnerSlots(this)));
    return slots;
  }

  mayTake({ held }: OwnerSlots, count = 1): boolean {
    const before = count - 1;
    return held + before < this.most && held + before < shareOfFree * (this.free - before);
  }

  taken(count: number): void {
    this.free -= count;
  }

  wait(slots: OwnerSlots): void {
    this.waiting.add(slots);
  }

  given(count: number): void {
    this.free += count;
    if (this.waiting.size > 0) this.serve();
  }

  private serve(): void {
    for (let next = this.next(); next; next = this.next()) if (!next.grant()) this.waiting.delete(next);
  }

  /** Of the waiting owners that may get a slot, the one that holds the fewest. */
  private next(): OwnerSlots | undefined {
    let next: OwnerSlots | undefined;
    for (const each of this.waiting) if (this.mayTake(each) && (!next || each.held < next.held)) next = each;
    return next;
  }
}

/** The callers of one client that wait. With thousands of them, to shift an array would take long. */
class Line {
  private readonly callers: (() => void)[] = [];
  private served = 0;

  get isEmpty(): boolean {
    return this.served === this.callers.length;
  }

  push(caller: () => void): void {
    this.callers.push(caller);
  }

  /** Removes the first caller; there must be one. */
  shift(): () => void {
    const first = this.callers[this.served++]!;
    if (this.served > 1024) this.served -= this.callers.splice(0, this.served).length;
    return first;
  }

  /** @returns whether the caller was still waiting */
  remove(caller: () => void): boolean {
    const index = this.callers.indexOf(caller, this.served);
    return index >= 0 && this.callers.splice(index, 1).length > 0;
  }
}

/** One owner's slots. */
export class OwnerSlots {
  held = 0;
  /** How many slots were given back so far. */
  given = 0;
  /** By client, in the order of their turns; none is empty. */
  private readonly lines = new Map<string, Line>();

  constructor(private readonly all: ConcurrencyLimiter) {}

  /** Whether the next caller has to wait for another's slot. */
  get isFull(): boolean {
    return !this.all.mayTake(this);
  }

  /** Synchronous if a slot is free: no promise, no turn of the event loop. */
  take(caller?: Caller): void | Promise<void> {
    return this.takeNow(1) ? undefined : this.wait(caller);
  }

  /**
   * Takes a slot for this turn of the event loop: limits how many callers proceed in each. Without it, a page of
   * encryptions or the replays of several clients would block sockets and timers for many milliseconds.
   */
  takeTurn(): void | Promise<void> {
    const giveLater = (): void => void setImmediate(() => this.give());
    const waits = this.take();
    return waits ? waits.then(giveLater) : giveLater();
  }

  /** Takes several slots together, if they are free. @returns whether they were */
  takeNow(count: number): boolean {
    const isFree = this.all.mayTake(this, count);
    if (isFree) this.hold(count);
    return isFree;
  }

  give(count = 1): void {
    this.held -= count;
    this.given += count;
    this.all.given(count);
  }

  /** Does work in a slot. @throws what the work throws, or why the caller gave up */
  async run<T>(work: () => Promise<T>, caller?: Caller): Promise<T> {
    await this.take(caller);
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  /** Gives a slot to the caller whose turn it is. @returns whether there was one */
  grant(): boolean {
    for (const [client, line] of this.lines) {
      const granted = line.shift();
      if (line.isEmpty || this.lines.size > 1) this.lines.delete(client);
      if (!line.isEmpty) this.lines.set(client, line);
      this.hold(1);
      granted();
      return true;
    }
    return false;
  }

  private hold(count: number): void {
    this.held += count;
    this.all.taken(count);
  }

  private wait({ client = '', waits }: Caller = {}): Promise<void> {
    const line = this.lines.get(client) ?? new Line();
    this.lines.set(client, line);
    return new Promise((granted, refused) => {
      line.push(granted);
      this.all.wait(this);
      waits?.((reason) => {
        if (!line.remove(granted)) return;
        if (line.isEmpty) this.lines.delete(client);
        refused(reason);
      });
    });
  }
}
