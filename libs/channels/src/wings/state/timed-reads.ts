import { ConcurrencyLimiter } from '#common';

/** Limits concurrent reads, and the time of each. Apps share the slots; the clients of an app take turns. */
export class TimedReads {
  private readonly slots: ConcurrencyLimiter;

  /** @param timeoutMs of one read, with the time that it waits: at most half of it */
  constructor(
    concurrency: number,
    private readonly timeoutMs: number,
  ) {
    this.slots = new ConcurrencyLimiter(concurrency);
  }

  /** @throws Error when the time is over; the read goes on without its slot */
  async run<T>(appId: string, client: string, read: () => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const failAfter = (ms: number, what: string, fail: (reason: Error) => void): void => {
      clearTimeout(timer);
      const reason = new Error(`not ${what} within ${ms} ms`);
      timer = setTimeout(fail, ms - (performance.now() - askedAt), reason).unref();
    };
    const inTime = (): Promise<T> =>
      new Promise((resolve, reject) => {
        failAfter(this.timeoutMs, 'done', reject);
        read().then(resolve, reject);
      });
    // Otherwise all that wait for reads that hang would begin together, only to be given up.
    const waits = (giveUp: (reason: Error) => void): void => failAfter(this.timeoutMs / 2, 'begun', giveUp);
    try {
      return await this.slots.of(appId).run(inTime, { client, waits });
    } finally {
      clearTimeout(timer);
    }
  }
}
