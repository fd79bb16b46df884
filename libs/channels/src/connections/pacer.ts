/**
 * After each round comes a pause this many times as long as the round, at most `longestRestMs`; none after a short
 * round.
 */
const restShare = 3;
const longestRestMs = 1000;
const shortMs = 0.5;
/** A round that takes longer counts as ended: under constant other work, its own end cannot be seen. */
const longestRoundMs = 1000;

/** Paces work that comes in rounds, so that it takes at most about a quarter of the time, however much there is. */
export class Pacer {
  private isWanted = false;
  private since: number | undefined;
  private restsUntil = 0;

  /** @param begin called when a requested round may begin; calls of {@link started} and {@link ended} follow */
  constructor(private readonly begin: () => void) {}

  /** Requests a round: it begins at once, or after the pause. */
  want(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    if (this.since === undefined) this.rest();
  }

  /** Work that arrives from now on belongs to the next round. */
  started(): void {
    this.isWanted = false;
    this.since = performance.now();
  }

  /** Whether a round is in progress and has not exceeded its longest time. */
  get isUnderWay(): boolean {
    return this.since !== undefined && performance.now() - this.since < longestRoundMs;
  }

  /** Harmless when no round is in progress. */
  ended(): void {
    if (this.since === undefined) return;
    const now = performance.now();
    const tookMs = now - this.since;
    this.restsUntil = tookMs < shortMs ? 0 : now + Math.min(tookMs * restShare, longestRestMs);
    this.since = undefined;
    if (this.isWanted) this.rest();
  }

  private rest(): void {
    const restMs = this.restsUntil - performance.now();
    if (restMs > 0) setTimeout(this.begin, restMs).unref();
    else this.begin();
  }
}
