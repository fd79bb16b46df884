import { nextTurn, type World } from './world.js';

/** Node's own, whatever replaces it later. */
const realTimeout = setTimeout;
const realMs = 200;

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

  /** Runs until a condition holds. @throws if it does not in time */
  async expect(isDone: () => boolean, limitMs: number, inVain: string): Promise<void> {
    if (await this.until(isDone, limitMs)) return;
    const { added } = this.world;
    await new Promise((resolve) => realTimeout(resolve, realMs));
    throw new Error(this.world.added > added ? `${inVain}. ${goesOn}` : inVain);
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

const goesOn =
  'Something took real time instead, such as a file, a network or a worker: time in the simulation does not wait for it';
