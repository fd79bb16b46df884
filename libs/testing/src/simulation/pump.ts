import { nextTurn, type World } from './world.js';

interface Waiter {
  readonly isDone: () => boolean;
  /** When it is told that it was in vain. */
  readonly deadline: number;
  readonly settle: () => void;
}

/** Runs a world while a test waits for something in it, perhaps for several things at once. */
export class Pump {
  private readonly waiters = new Set<Waiter>();
  private isRunning = false;

  constructor(private readonly world: World) {}

  /** Runs until a condition holds. @returns whether it holds in time */
  until(isDone: () => boolean, limitMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        const { failure } = this.world;
        if (failure === undefined) resolve(isDone());
        else reject(new Error(failure));
      };
      this.waiters.add({ isDone, deadline: this.world.now + limitMs, settle });
      if (!this.isRunning) void this.run();
    });
  }

  private async run(): Promise<void> {
    const { world, waiters } = this;
    this.isRunning = true;
    // What the test waits for at the same time comes first.
    await nextTurn();
    while (waiters.size > 0) {
      const isSettled = ({ isDone, deadline }: Waiter): boolean =>
        world.failure !== undefined || deadline <= world.now || isDone();
      const next = Math.min(...Array.from(waiters, ({ deadline }) => deadline));
      await world.runUntil(next, () => [...waiters].some(({ isDone }) => isDone()));
      for (const waiter of [...waiters].filter(isSettled)) {
        waiters.delete(waiter);
        waiter.settle();
      }
      // The test goes on, and may wait for something else.
      await nextTurn();
    }
    this.isRunning = false;
  }
}
