/** An instance may hold at most this multiple of the free slots. */
const shareOfFree = 9;

/** A gateway hangs if fewer than one in this many sends end while a sender waits. */
const leastShareEnded = 20;

/**
 * A platform's concurrent sends, shared by the instances. A single instance gets `most`. The total is a ninth more, and
 * no instance may hold more than nine times the number of free slots: so an instance without slots always finds one,
 * even while all of another instance's sends wait for push services that never answer, and busy instances end up with
 * equal shares.
 */
export class PlatformLimiters {
  private readonly instances = new Map<string, ConcurrencyLimiter>();
  private readonly waiting = new Set<ConcurrencyLimiter>();
  private free: number;

  constructor(private readonly most: number) {
    this.free = most + Math.ceil(most / shareOfFree);
  }

  /** The slots of one instance. */
  of(instanceId: string): ConcurrencyLimiter {
    let slots = this.instances.get(instanceId);
    if (!slots) this.instances.set(instanceId, (slots = new ConcurrencyLimiter(this)));
    return slots;
  }

  mayTake({ held }: ConcurrencyLimiter): boolean {
    return held < this.most && held < shareOfFree * this.free;
  }

  taken(): void {
    this.free -= 1;
  }

  wait(slots: ConcurrencyLimiter): void {
    this.waiting.add(slots);
  }

  given(): void {
    this.free += 1;
    if (this.waiting.size > 0) this.serve();
  }

  private serve(): void {
    for (let next = this.next(); next; next = this.next()) if (!next.grant()) this.waiting.delete(next);
  }

  /** Of the waiting instances that may get a slot, the one that holds the fewest. */
  private next(): ConcurrencyLimiter | undefined {
    let next: ConcurrencyLimiter | undefined;
    for (const each of this.waiting) if (this.mayTake(each) && (!next || each.held < next.held)) next = each;
    return next;
  }
}

/**
 * One instance's slots, in order of arrival: concurrent publishes share them fairly, because each one rejoins the end
 * of the queue for every device.
 */
export class ConcurrencyLimiter {
  held = 0;
  /** How many sends have ended so far. */
  ended = 0;
  /** Whether hardly any of its sends ended of late: the gateway hangs. */
  isStalled = false;
  private readonly queue: (() => void)[] = [];
  private head = 0;

  constructor(private readonly platform: PlatformLimiters) {}

  /** Synchronous if a slot is free: no promise, no turn of the event loop. */
  take(): void | Promise<void> {
    if (this.platform.mayTake(this)) return this.hold();
    return new Promise((granted) => {
      this.queue.push(granted);
      this.platform.wait(this);
    });
  }

  /** Whether a send would have to wait for another to end. */
  get isFull(): boolean {
    return !this.platform.mayTake(this);
  }

  /** Judges by the number of sends that had ended when a sender began to wait. */
  waited(endedBefore: number): void {
    this.isStalled = (this.ended - endedBefore) * leastShareEnded < this.held;
  }

  give(): void {
    this.held -= 1;
    this.ended += 1;
    if (this.held === 0) this.isStalled = false;
    this.platform.given();
  }

  /** Gives a slot to the caller that has waited longest; there must be one. Returns whether more callers wait. */
  grant(): boolean {
    const granted = this.queue[this.head]!;
    this.head += 1;
    this.hold();
    granted();
    if (this.head < this.queue.length) {
      if (this.head > 1024) this.forgetServed();
      return true;
    }
    this.forgetServed();
    return false;
  }

  private hold(): void {
    this.held += 1;
    this.platform.taken();
  }

  private forgetServed(): void {
    this.queue.splice(0, this.head);
    this.head = 0;
  }
}
