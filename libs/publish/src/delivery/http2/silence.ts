/** Longer than an answer takes, and short enough that senders who wait are not many. */
export const defaultPatienceMs = 3000;

/** Whether a peer that owes answers has given none for some time, to anybody. */
export class Silence {
  private heard = true;
  private since = performance.now();
  private lasts = false;

  constructor(private readonly patienceMs: number = defaultPatienceMs) {}

  get isTooLong(): boolean {
    return this.lasts;
  }

  /** Something came. */
  hear(): void {
    this.heard = true;
    this.lasts = false;
  }

  /** Called from time to time, with whether the peer owes anything. */
  listen(now: number, owes: boolean): void {
    if (this.heard || !owes) this.since = now;
    this.heard = false;
    this.lasts = now - this.since >= this.patienceMs;
  }
}
