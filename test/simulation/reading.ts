import type { Accepted, ChannelRecord } from './record.js';

/** What one client has received of one channel, compared with what the store accepted. */
export class Reading {
  /** The place of the latest event. */
  private last: number | undefined;
  private isGapTold = false;
  private readonly positions = new Set<string>();
  /** How many events had been accepted when the subscription was confirmed: all after them must arrive. */
  private before: number | undefined;
  private begunAt = Infinity;
  /** Whether the store has forgotten that the client has received anything. */
  private isForgotten = false;
  /** What it was told in this time is lost. */
  private lost = { since: Infinity, until: -Infinity };
  /** Whether the store may know only an earlier subscription of the page, and replays what came since. */
  private isReverted = false;

  /**
   * @param own the reader's connections, whose events need not arrive
   * @param isExcused whether an event may be missing, because nothing is replayed to the client
   */
  constructor(
    private readonly record: ChannelRecord,
    private readonly own: ReadonlySet<string>,
    private readonly isExcused: (event: Accepted) => boolean,
  ) {}

  /** @param isAnew whether the store has lost all earlier subscriptions of the page */
  confirmed(sentAt: number, isAnew = false): void {
    if (this.isForgotten) this.before = this.record.countAt(sentAt);
    this.isReverted = this.isForgotten;
    this.before ??= this.record.countAt(sentAt);
    this.begunAt = isAnew || this.isForgotten ? sentAt : Math.min(this.begunAt, sentAt);
    // It was sent before the store lost it, and may arrive afterwards.
    this.isForgotten = this.lost.since <= sentAt && sentAt <= this.lost.until;
  }

  /** The store lacks what it was told since then: the client begins anew with its next subscription. */
  forget(since: number, now: number): void {
    this.isForgotten ||= this.begunAt >= since;
    this.lost = { since, until: now };
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
    if (isReplayed && this.isReverted && at < this.before) return undefined;
    if (last !== undefined && at <= last) return `${id} arrived after ${this.name(last)}`;
    const { next } = this;
    this.last = at;
    if (at > next && !this.isGapTold) return `${this.name(next)} is missing before ${id}`;
    this.isGapTold = false;
    return undefined;
  }

  /** The client connects again, to a store that does not know that it was on this channel. */
  beginAgain(): void {
    this.isForgotten = true;
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
    const { events } = this.record;
    let next = Math.max(this.before ?? 0, (this.last ?? -1) + 1);
    for (let event; (event = events[next]) && this.mayMiss(event);) next += 1;
    return next;
  }

  private mayMiss(event: Accepted): boolean {
    const { connection = '', isLost = false } = event;
    return isLost || this.isForgotten || this.own.has(connection) || this.isExcused(event);
  }

  private name(at: number): string {
    return this.record.events[at]!.id;
  }
}
