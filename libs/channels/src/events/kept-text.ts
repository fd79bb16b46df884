/**
 * The text of an event that a store keeps once for several channels. It counts from the first channel that holds it
 * until the last one has let it go.
 */
export class KeptText {
  private holders = 0;

  /** @param count adds to what is kept, in bytes */
  constructor(
    readonly bytes: number,
    private readonly count: (bytes: number) => void,
  ) {}

  hold(): void {
    if (this.holders++ === 0) this.count(this.bytes);
  }

  letGo(): void {
    if (--this.holders === 0) this.count(-this.bytes);
  }

  /** Whether so many are all that hold it. */
  isHeldBy(count: number): boolean {
    return this.holders === count;
  }
}
