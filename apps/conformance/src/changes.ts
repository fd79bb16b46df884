/** Wakes those that wait for something to happen. */
export class Changes {
  private readonly waiting = new Set<() => void>();

  happened(): void {
    for (const wake of this.waiting) wake();
  }

  /** Resolves at the next one, or after some milliseconds. */
  next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), ms);
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      this.waiting.add(done);
    });
  }
}
