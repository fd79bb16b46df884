import type { HistoryBounds } from '../app/history-rule.js';
import type { KeptText } from './kept-text.js';

/** An event that is kept: as the last one of its channel for a while, or in a history. */
export interface KeptEventSize {
  readonly bytes: number;
  readonly cacheSeconds?: number | undefined;
  /** Set if its text as a last event is counted apart. */
  readonly text?: KeptText | undefined;
  readonly history?: HistoryBounds | undefined;
}

/** What an event takes besides its text: a row or an entry, with its names and numbers. */
export const besideText = 200;

/**
 * About how many bytes a channel keeps. What its history drops by age is known to within twice as much: the events of
 * the present span of its seconds count, and those of the span before.
 */
export class KeptChannel {
  private last = 0;
  // Fractional from the start: V8 would go on with the whole number that code which was compiled before a restart begins
  // with, and would optimize no function that makes such an object.
  private lastEndsAt = -Infinity;
  private lastText: KeptText | undefined;
  private recent = 0;
  private earlier = 0;
  private spanEndsAt = -Infinity;
  private spanMs = 0;
  private most = 0;

  /** What it keeps at a time, in milliseconds, without texts that are counted apart. */
  bytes(now: number): number {
    this.age(now);
    return this.held;
  }

  private get held(): number {
    return this.last + Math.min(this.recent + this.earlier, this.most);
  }

  /** What it would keep with one more event. */
  bytesWith({ bytes, cacheSeconds, history, text }: KeptEventSize, now: number): number {
    this.age(now);
    const size = bytes + besideText;
    const held = this.recent + this.earlier;
    return (
      (cacheSeconds === undefined ? this.last : text ? besideText : size) +
      (history ? Math.min(held + size, mostOf(history)) : Math.min(held, this.most))
    );
  }

  /** @returns what it keeps from now on */
  add({ bytes, cacheSeconds, history, text }: KeptEventSize, now: number): number {
    this.age(now);
    const size = bytes + besideText;
    if (cacheSeconds !== undefined) {
      [this.last, this.lastEndsAt] = [text ? besideText : size, now + cacheSeconds * 1000];
      this.replaceText(text);
    }
    if (!history) return this.held;
    this.recent += size;
    this.most = mostOf(history);
    this.spanMs = history.seconds * 1000;
    if (this.spanEndsAt <= now) this.spanEndsAt = now + this.spanMs;
    return this.held;
  }

  /** The text of its last event, if that is counted apart. */
  textAt(now: number): KeptText | undefined {
    this.age(now);
    return this.lastText;
  }

  private replaceText(text: KeptText | undefined): void {
    text?.hold();
    this.lastText?.letGo();
    this.lastText = text;
  }

  private age(now: number): void {
    if (this.last > 0 && now >= this.lastEndsAt) {
      this.last = 0;
      this.replaceText(undefined);
    }
    if (now < this.spanEndsAt || this.recent + this.earlier === 0) return;
    const isOver = now >= this.spanEndsAt + this.spanMs;
    this.earlier = isOver ? 0 : this.recent;
    this.recent = 0;
    this.spanEndsAt = isOver ? now : this.spanEndsAt + this.spanMs;
  }
}

const mostOf = ({ bytes, events }: HistoryBounds): number => bytes + events * besideText;
