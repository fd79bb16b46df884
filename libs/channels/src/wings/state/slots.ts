/** Limits concurrent work; the rest waits in the order in which it came, for a limited time. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param timeoutMs of one piece of work, with the time that it waits: at most half of it */
  constructor(
    private readonly count: number,
    private readonly timeoutMs: number,
  ) {}

  /** @throws Error when the time is over; the work goes on without its slot */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${this.timeoutMs} ms`)), this.timeoutMs).unref();
    });
    const inTurn = async (): Promise<T> => {
      await this.take();
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

  private take(): void | Promise<void> {
    if (this.taken < this.count) this.taken += 1;
    else return new Promise((resolve) => this.waiting.push(resolve));
  }

  private give(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken -= 1;
  }
}
