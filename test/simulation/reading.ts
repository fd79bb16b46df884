import type { ChannelRecord } from './record.js';

/** What one client has received of one channel, compared with what the store accepted. */
export class Reading {
  /** The place of the latest event. */
  private last: number | undefined;
  private isGapTold = false;
  private readonly positions = new Set<string>();
  /** How many events had been accepted when the subscription was confirmed: all after them must arrive. */
  private before: number | undefined;

  /** @param own the reader's connections, whose events need not arrive */
  constructor(
    private readonly record: ChannelRecord,
    private readonly own: ReadonlySet<string>,
  ) {}

  confirmed(sentAt: number): void {
    this.before ??= this.record.countAt(sentAt);
  }

  gap(): void {
    this.isGapTold = true;
  }

  /** @returns the rule that the event breaks */
  event(id: string, position: string | undefined, isReplayed: boolean): string | undefined {
    if (position !== undefined && this.positions.has(position)) return isReplayed ? undefined : `${id} arrived twice`;
    if (position !== undefined) this.positions.add(position);
    const at = this.record.indexOf(id);
    if (at < 0) return `${id} arrived, and was never accepted`;
    if (this.before === undefined) return `${id} arrived before the confirmation`;
    const { last } = this;
    if (last !== undefined && at <= last) return `${id} arrived after ${this.name(last)}`;
    const { next } = this;
    this.last = at;
    if (at > next && !this.isGapTold) return `${this.name(next)} is missing before ${id}`;
    this.isGapTold = false;
    return undefined;
  }

  /** What has not arrived. */
  get missing(): string | undefined {
    const { next } = this;
    return next < this.record.events.length && !this.isGapTold ? this.name(next) : undefined;
  }

  /**
   * The first that must arrive. Of those from before the confirmation some may arrive: the node may have left the
   * channel, and have come back for this client.
   */
  private get next(): number {
    let next = Math.max(this.before ?? 0, (this.last ?? -1) + 1);
    while (this.own.has(this.record.events[next]?.connection ?? '')) next += 1;
    return next;
  }

  private name(at: number): string {
    return this.record.events[at]!.id;
  }
}
