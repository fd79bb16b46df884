/** What a timer needs of the clock it goes by; times are in its milliseconds. */
export interface TimerClock {
  now(): number;
  readonly timers: Set<MovedTimer>;
  /** Node's own, which wait in real time. */
  readonly real: { readonly setTimeout: typeof setTimeout; readonly clearTimeout: typeof clearTimeout };
}

/** A timer as `setTimeout` and `setInterval` answer it, which fires when a clock that can be moved says so. */
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

  /** Begins its time anew. */
  refresh(): this {
    this.dueAt = this.clock.now() + this.delayMs;
    // Behind those that were due at that time before it.
    this.clock.timers.delete(this);
    this.clock.timers.add(this);
    this.wait();
    return this;
  }

  /** Waits in real time for what is left. */
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
