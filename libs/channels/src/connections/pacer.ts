/** After a round comes a rest, this many times as long as the round took, at most `longestRestMs`; none if it was short. */
const restShare = 3;
const longestRestMs = 1000;
const shortMs = 0.5;
/** A round that takes longer is taken for ended: among lasting work of others, its own end cannot be seen. */
const longestRoundMs = 1000;

/** Paces work that comes in rounds, so that it takes about a quarter of the time at most, however much there is. */
export class Pacer {
  private isWanted = false;
  private since: number | undefined;
  private restsUntil = 0;

  /** @param begin called when a round that was wanted may begin; {@link started} and {@link ended} follow it */
  constructor(private readonly begin: () => void) {}

  /** There is something for a round: it begins at once, or after the rest. */
  want(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    if (this.since === undefined) this.rest();
  }

  /** What comes from now on is for the next round. */
  started(): void {
    this.isWanted = false;
    this.since = performance.now();
  }

  /** Whether a round is under way for no longer than one takes. */
  get isUnderWay(): boolean {
    return this.since !== undefined && performance.now() - this.since < longestRoundMs;
  }

  /** Harmless when none is under way. */
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
