/** About how much memory an entry takes besides the characters in it. */
const entryBytes = 500;
/** Clients choose names in keys and values, and how many there are. */
const defaultBytes = 32 * 1024 * 1024;

interface Delayed<Value> {
  readonly value: Value;
  readonly dueAt: number;
  readonly bytes: number;
}

/**
 * Values that each fall due after the same delay. A Map keeps them in order, so one timer serves all of them. When it
 * is full, the first fall due early.
 */
export class DelayQueue<Value> {
  private readonly entries = new Map<string, Delayed<Value>>();
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly delayMs: number,
    private readonly limit: number,
    private readonly fallDue: (value: Value) => void,
    private readonly maxBytes = defaultBytes,
  ) {}

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  get(key: string): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /**
   * Keeps a value until it falls due or is taken. A key must not be in use.
   * @param characters how many of the value are not in the key
   */
  add(key: string, value: Value, characters = 0): void {
    if (this.isClosed) return this.fallDue(value);
    const bytes = entryBytes + 2 * (key.length + characters);
    while (!this.isEmpty && (this.entries.size >= this.limit || this.bytes + bytes > this.maxBytes))
      this.release(Infinity, 1);
    this.entries.set(key, { value, dueAt: performance.now() + this.delayMs, bytes });
    this.bytes += bytes;
    this.timer ??= this.wait(this.delayMs);
  }

  /** Removes a value, which then does not fall due. */
  take(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry) this.remove(key, entry);
    return entry?.value;
  }

  /** Makes all values fall due now, and later ones at once. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.release(Infinity, Infinity);
  }

  private release(now: number, most: number): void {
    let released = 0;
    for (const [key, entry] of this.entries) {
      if (entry.dueAt > now || released++ >= most) return;
      this.remove(key, entry);
      this.fallDue(entry.value);
    }
  }

  private remove(key: string, { bytes }: Delayed<Value>): void {
    this.entries.delete(key);
    this.bytes -= bytes;
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
