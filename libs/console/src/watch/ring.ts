/** The oldest entries make room by whole parts, so that no entry needs a size of its own. */
const parts = 16;

/** The latest entries, as many as fit into a number of bytes. */
export class Ring<T> {
  /** Whether older entries have made room. */
  hasDropped = false;
  private readonly full: T[][] = [];
  private latest: T[] = [];
  private latestBytes = 0;
  private readonly partBytes: number;

  constructor(maxBytes: number) {
    this.partBytes = maxBytes / parts;
  }

  /** @param bytes the most memory that the entry keeps */
  add(entry: T, bytes: number): void {
    if (this.latestBytes + bytes > this.partBytes) this.turn();
    if (bytes > this.partBytes) {
      this.hasDropped = true;
      return;
    }
    this.latest.push(entry);
    this.latestBytes += bytes;
  }

  /** The oldest first. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (const part of this.full) yield* part;
    yield* this.latest;
  }

  /** The latest first. */
  *backwards(): IterableIterator<T> {
    for (const part of [...this.full, this.latest].toReversed()) yield* part.toReversed();
  }

  private turn(): void {
    if (this.latest.length > 0) this.full.push(this.latest);
    if (this.full.length === parts) {
      this.full.shift();
      this.hasDropped = true;
    }
    this.latest = [];
    this.latestBytes = 0;
  }
}
