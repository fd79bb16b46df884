/** Longer than an answer takes, but short enough to keep the number of waiting senders small. */
export const defaultPatienceMs = 3000;

/** Detects a peer that leaves all requests unanswered for some time. */
export class Silence {
  private heard = true;
  private since = performance.now();
  private lasts = false;

  constructor(private readonly patienceMs: number = defaultPatienceMs) {}

  get isTooLong(): boolean {
    return this.lasts;
  }

  /** Data arrived. */
  hear(): void {
    this.heard = true;
    this.lasts = false;
  }

  /** Called periodically, with whether any request is unanswered. */
  listen(now: number, owes: boolean): void {
    if (this.heard || !owes) this.since = now;
    this.heard = false;
    this.lasts = now - this.since >= this.patienceMs;
  }
}
