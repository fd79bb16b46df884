import { fairLevel } from './fair-level.js';

interface Entry<Value> {
  readonly value: Value;
  bytes: number;
}

interface Holder<Value> {
  readonly entries: Map<string, Entry<Value>>;
  bytes: number;
}

/** The room that is made at once, as a part of all: not every following entry makes some. */
const spare = 0.1;

/**
 * Entries of several holders, such as apps, within a number of bytes. Beyond it, the holders with the most bytes give
 * way: their oldest entries are dropped.
 */
export class FairMap<Value> {
  private readonly holders = new Map<string, Holder<Value>>();
  private total = 0;

  /**
   * @param isOver whether an entry may be dropped before any other
   * @param crowdedOut is told of an entry that makes room, though it is not over
   */
  constructor(
    private readonly maxBytes: number,
    private readonly isOver: (value: Value) => boolean = () => false,
    private readonly crowdedOut: (holder: string, value: Value) => void = () => {},
  ) {}

  get bytes(): number {
    return this.total;
  }

  get(holder: string, key: string): Value | undefined {
    return this.holders.get(holder)?.entries.get(key)?.value;
  }

  /** How many entries a holder has. */
  count(holder: string): number {
    return this.holders.get(holder)?.entries.size ?? 0;
  }

  /** The entries of a holder, the oldest first. */
  *entries(holder: string): Iterable<readonly [key: string, value: Value]> {
    for (const [key, { value }] of this.holders.get(holder)?.entries ?? []) yield [key, value];
  }

  /** Adds the newest entry of a holder, in place of one with the same key. */
  set(holder: string, key: string, value: Value, bytes: number): void {
    this.delete(holder, key);
    let known = this.holders.get(holder);
    if (!known) this.holders.set(holder, (known = { entries: new Map(), bytes: 0 }));
    known.entries.set(key, { value, bytes });
    this.counted(known, bytes);
    this.makeRoom();
  }

  /** An entry has become larger, and stays as old as it is. */
  grow(holder: string, key: string, bytes: number): void {
    const known = this.holders.get(holder);
    const entry = known?.entries.get(key);
    if (!known || !entry) return;
    entry.bytes += bytes;
    this.counted(known, bytes);
    this.makeRoom();
  }

  delete(holder: string, key: string): void {
    const known = this.holders.get(holder);
    const entry = known?.entries.get(key);
    if (!known || !entry) return;
    known.entries.delete(key);
    this.counted(known, -entry.bytes);
    if (known.entries.size === 0) this.holders.delete(holder);
  }

  /** Drops all entries for which this is true. */
  forget(isOver: (value: Value) => boolean): void {
    for (const [holder, { entries }] of this.holders)
      for (const [key, { value }] of entries) if (isOver(value)) this.delete(holder, key);
  }

  private counted(holder: Holder<Value>, bytes: number): void {
    holder.bytes += bytes;
    this.total += bytes;
  }

  private makeRoom(): void {
    if (this.total <= this.maxBytes) return;
    this.forget(this.isOver);
    const sizes = Array.from(this.holders.values(), ({ bytes }) => bytes);
    const level = fairLevel(sizes, this.maxBytes * (1 - spare));
    for (const [holder, known] of this.holders)
      for (const [key, { value }] of known.entries) {
        if (known.bytes <= level) break;
        this.delete(holder, key);
        this.crowdedOut(holder, value);
      }
  }
}
