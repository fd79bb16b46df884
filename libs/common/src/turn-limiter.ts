/**
 * Limits how many callers proceed per turn of the event loop. Without it, a page of encryptions, or the replays of
 * several clients, would block everything else in the process, such as sockets and timers, for many milliseconds.
 */
export class TurnLimiter {
  private waiting: (() => void)[] = [];
  private passed = 0;
  private scheduled = false;

  constructor(private readonly perTurn: number) {}

  /** Resolves when it is the caller's turn, in order of arrival; `undefined` if it is already. */
  next(): Promise<void> | undefined {
    this.schedule();
    if (this.passed < this.perTurn) {
      this.passed++;
      return undefined;
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.scheduled = false;
    const passing = this.waiting.slice(0, this.perTurn);
    this.waiting = this.waiting.slice(this.perTurn);
    this.passed = passing.length;
    if (passing.length > 0) this.schedule();
    for (const pass of passing) pass();
  }
}
