import type { HistoryBounds } from '../app/history-rule.js';
import type { HistoryPage, KeptEvent, Position } from './broker.js';

interface StoredEvent extends KeptEvent {
  readonly at: number;
  readonly bytes: number;
}

/** How many dropped entries may remain at the start of the array. */
const maxGone = 256;

/** The latest events of one channel, in memory. */
export class MemoryHistory {
  private entries: StoredEvent[] = [];
  /** The index in `entries` of the first that is not dropped. */
  private first = 0;
  private bounds: HistoryBounds = { events: 0, seconds: 0, bytes: 0 };
  /** Bytes of the events' texts. */
  bytes = 0;
  /** The time of the latest event, by performance.now(). */
  latestAt = 0;

  /** @param dropped the position of the latest event that was dropped, or may have been */
  constructor(private dropped?: Position) {}

  /** Once it keeps no events any more: the position of the latest that it had. */
  get lost(): Position | undefined {
    return this.first === this.entries.length ? this.dropped : undefined;
  }

  add({ text, except, position }: KeptEvent, bounds: HistoryBounds): void {
    const at = (this.latestAt = performance.now());
    const bytes = Buffer.byteLength(text);
    this.entries.push(except === undefined ? { text, position, at, bytes } : { text, except, position, at, bytes });
    this.bytes += bytes;
    this.bounds = bounds;
    this.trim(at);
  }

  /** @param isKnown whether this memory has existed since the position */
  page(limit: number, after: Position | undefined, now: Position, isKnown: boolean): HistoryPage {
    this.trim(performance.now());
    const from = after === undefined || !isKnown ? this.first : this.indexAfter(after);
    const events = this.entries
      .slice(from, from + limit)
      .map(({ at: _at, bytes: _bytes, ...event }): KeptEvent => event);
    const isComplete = isKnown && (this.dropped === undefined || (after !== undefined && after >= this.dropped));
    return { events, isComplete, now };
  }

  dropFirst(): void {
    const entry = this.entries[this.first];
    if (!entry) return;
    this.first += 1;
    this.dropped = entry.position;
    this.bytes -= entry.bytes;
    if (this.first < maxGone && this.first < this.entries.length) return;
    this.entries = this.entries.slice(this.first);
    this.first = 0;
  }

  trim(now: number): void {
    const { events, seconds, bytes } = this.bounds;
    const since = now - seconds * 1000;
    for (let entry; (entry = this.entries[this.first]);) {
      const isOver = this.entries.length - this.first > events || this.bytes > bytes || entry.at < since;
      if (!isOver) return;
      this.dropFirst();
    }
  }

  private indexAfter(position: Position): number {
    let [low, high] = [this.first, this.entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.entries[middle]!.position > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
