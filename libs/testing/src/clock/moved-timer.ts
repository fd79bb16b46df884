/** The clock of a timer; times are in its milliseconds. */
export interface TimerClock {
  now(): number;
  readonly timers: Set<MovedTimer>;
  /** Node's own functions, which wait in real time. */
  readonly real: { readonly setTimeout: typeof setTimeout; readonly clearTimeout: typeof clearTimeout };
}

/** A timer as `setTimeout` and `setInterval` return it, fired by a clock that can be advanced. */
export class MovedTimer implements Disposable {
  dueAt = 0;
  private waiting: NodeJS.Timeout | undefined;
  private keepsAlive = true;

  constructor(
    private readonly clock: TimerClock,
    private readonly call: () => void,
    private readonly delayMs: number,
    private readonly repeats: boolean,
  ) {
    this.refresh();
  }

  /** Restarts the timer. */
  refresh(): this {
    this.dueAt = this.clock.now() + this.delayMs;
    // Placed after timers that were due at the same time before it.
    this.clock.timers.delete(this);
    this.clock.timers.add(this);
    this.wait();
    return this;
  }

  /** Waits in real time for the remaining time. */
  wait(): void {
    const { real } = this.clock;
    real.clearTimeout(this.waiting);
    this.waiting = real.setTimeout(() => this.fire(), Math.max(0, this.dueAt - this.clock.now()));
    if (!this.keepsAlive) this.waiting.unref();
  }

  fire(): void {
    if (this.repeats) this.refresh();
    else this.close();
    this.call();
  }

  close(): this {
    this.clock.timers.delete(this);
    this.clock.real.clearTimeout(this.waiting);
    return this;
  }

  ref(): this {
    this.keepsAlive = true;
    this.waiting?.ref();
    return this;
  }

  unref(): this {
    this.keepsAlive = false;
    this.waiting?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.keepsAlive;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
