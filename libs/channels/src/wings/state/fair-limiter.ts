/**
 * Limits concurrent work. The rest waits for a limited time: who asks for much takes turns with those who ask for little,
 * and has its work done in the order in which it came.
 */
export class FairLimiter {
  private taken = 0;
  /** By who asks, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** @param timeoutMs of one piece of work, with the time that it waits: at most half of it */
  constructor(
    private readonly count: number,
    private readonly timeoutMs: number,
  ) {}

  /** @throws Error when the time is over; the work goes on without its slot */
  async run<T>(who: string, work: () => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${this.timeoutMs} ms`)), this.timeoutMs).unref();
    });
    const inTurn = async (): Promise<T> => {
      await this.take(who);
      try {
        // Otherwise all that wait for work that hangs would begin together, only to be given up.
        const waitedMs = performance.now() - askedAt;
        if (waitedMs > this.timeoutMs / 2) throw new Error(`not begun within ${this.timeoutMs / 2} ms`);
        return await Promise.race([work(), late]);
      } finally {
        this.give();
      }
    };
    try {
      return await Promise.race([inTurn(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private take(who: string): void | Promise<void> {
    if (this.taken < this.count) this.taken += 1;
    else return new Promise((resolve) => this.queueOf(who).push(resolve));
  }

  private give(): void {
    const [first] = this.waiting;
    if (!first) return void (this.taken -= 1);
    const [who, queue] = first;
    this.waiting.delete(who);
    const next = queue.shift()!;
    if (queue.length > 0) this.waiting.set(who, queue);
    next();
  }

  private queueOf(who: string): (() => void)[] {
    let queue = this.waiting.get(who);
    if (!queue) this.waiting.set(who, (queue = []));
    return queue;
  }
}
