/**
 * Values that each fall due after the same delay. A Map keeps them in order, so one timer serves all of them. When it
 * is full, the first falls due early.
 */
export class DelayQueue<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly dueAt: number }>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly delayMs: number,
    private readonly limit: number,
    private readonly fallDue: (value: Value) => void,
  ) {}

  get(key: string): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /** Keeps a value until it falls due or is taken. A key must not be in use. */
  add(key: string, value: Value): void {
    if (this.isClosed) return this.fallDue(value);
    if (this.entries.size >= this.limit) this.release(Infinity, 1);
    this.entries.set(key, { value, dueAt: performance.now() + this.delayMs });
    this.timer ??= this.wait(this.delayMs);
  }

  /** Removes a value, which then does not fall due. */
  take(key: string): Value | undefined {
    const value = this.get(key);
    this.entries.delete(key);
    return value;
  }

  /** Makes all values fall due now, and later ones at once. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.release(Infinity, Infinity);
  }

  private release(now: number, most: number): void {
    let released = 0;
    for (const [key, { value, dueAt }] of this.entries) {
      if (dueAt > now || released++ >= most) return;
      this.entries.delete(key);
      this.fallDue(value);
    }
  }

  private onTimer(): void {
    this.timer = undefined;
    this.release(performance.now(), Infinity);
    const [first] = this.entries.values();
    if (first) this.timer ??= this.wait(first.dueAt - performance.now());
  }

  /** The timer does not keep the process alive. */
  private wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.onTimer(), ms).unref();
  }
}
