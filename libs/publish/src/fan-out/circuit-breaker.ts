/**
 * So many consecutive faults confirm a platform fault: a single one may come from a proxy, or from one of a gateway's
 * machines.
 */
export const believedAnswers = 5;

/** Counts the consecutive faults of one platform, or of one app, in one instance. */
export class CircuitBreaker {
  private answers = 0;
  private message?: string;

  /** Why all sends are rejected; undefined until several answers in a row say so. */
  get fault(): string | undefined {
    return this.answers >= believedAnswers ? this.message : undefined;
  }

  refused(message: string): void {
    this.answers += 1;
    this.message = message;
  }

  /** The gateway has judged a device, so it accepts our credentials. */
  judged(): void {
    this.answers = 0;
    this.message = undefined;
  }
}
