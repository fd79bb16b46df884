/**
 * The latest answers by key, for callers that repeat a call because an answer was lost. Each is kept for `keepMs` to
 * twice as long: two maps that take turns, so that no answer needs a timer.
 */
export class RememberedAnswers<Answer> {
  private current = new Map<string, Answer>();
  private previous = new Map<string, Answer>();
  private turnsAt = 0;

  constructor(private readonly keepMs = 60_000) {}

  get(key: string): Answer | undefined {
    return this.current.get(key) ?? this.previous.get(key);
  }

  set(key: string, answer: Answer): void {
    const now = performance.now();
    if (now >= this.turnsAt) this.turn(now);
    this.current.set(key, answer);
  }

  delete(key: string): void {
    this.current.delete(key);
    this.previous.delete(key);
  }

  /** Everything remembered. */
  *entries(): Iterable<readonly [key: string, answer: Answer]> {
    yield* this.current;
    for (const each of this.previous) if (!this.current.has(each[0])) yield each;
  }

  private turn(now: number): void {
    // After a long silence even the latest have expired.
    this.previous = now >= this.turnsAt + this.keepMs ? new Map() : this.current;
    this.current = new Map();
    this.turnsAt = now + this.keepMs;
  }
}
