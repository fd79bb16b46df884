/** A request that may be sent; after a pause, it is the only one, and decides whether others follow. */
export type Turn = 'usual' | 'trial';

/** When pauses begin, and how long they are. */
export interface PauseOptions {
  /** Failures in a row. */
  readonly afterFailures: number;
  /** Each further pause is twice as long. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Spares what does not answer: after several failures in a row, it gets one request after each pause. */
export class FailurePauses {
  private failures = 0;
  private until = 0;
  private isTried = false;

  constructor(private readonly options: PauseOptions) {}

  /** @returns undefined if no request may be sent now */
  begin(): Turn | undefined {
    if (this.failures < this.options.afterFailures) return 'usual';
    if (this.isTried || performance.now() < this.until) return undefined;
    this.isTried = true;
    return 'trial';
  }

  /**
   * To be called once for each turn.
   * @param isAnswered undefined if the request failed for a reason of its own
   * @returns whether pauses begin with it
   */
  ended(turn: Turn, isAnswered: boolean | undefined): boolean {
    const { afterFailures, firstMs, longestMs } = this.options;
    if (turn === 'trial') this.isTried = false;
    // Those that were under way when it began to pause say nothing new.
    else if (!isAnswered && this.failures >= afterFailures) return false;
    if (isAnswered === undefined) return false;
    this.failures = isAnswered ? 0 : this.failures + 1;
    if (this.failures < afterFailures) return false;
    this.until = performance.now() + Math.min(firstMs * 2 ** (this.failures - afterFailures), longestMs);
    return this.failures === afterFailures;
  }
}
