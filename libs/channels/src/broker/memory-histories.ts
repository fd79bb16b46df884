import type { HistoryBounds } from '../app/history-rule.js';
import type { BrokerEvent, HistoryPage, Position } from './broker.js';
import { MemoryHistory } from './memory-history.js';

/** How long a channel without new events is known to have had some. */
const rememberMs = 2 * 86_400_000;
const sweepEvery = 1024;

/** The histories of all channels, in memory. */
export class MemoryHistories {
  private readonly apps = new Map<string, Map<string, MemoryHistory>>();
  private bytes = 0;
  private sinceSweep = 0;

  /** @param maxBytes of all channels together; beyond it, the channels with the oldest histories lose their events */
  constructor(private readonly maxBytes: number) {}

  add({ appId, channel, text, except }: BrokerEvent, position: Position, bounds: HistoryBounds): void {
    let channels = this.apps.get(appId);
    if (!channels) this.apps.set(appId, (channels = new Map()));
    let history = channels.get(channel);
    if (!history) channels.set(channel, (history = new MemoryHistory()));
    const before = history.bytes;
    history.add({ text, position, ...(except === undefined ? {} : { except }) }, bounds);
    this.bytes += history.bytes - before;
    if (++this.sinceSweep >= sweepEvery || this.bytes > this.maxBytes) this.sweep();
  }

  page(
    appId: string,
    channel: string,
    limit: number,
    after: Position | undefined,
    now: Position,
    isKnown: boolean,
  ): HistoryPage {
    const history = this.apps.get(appId)?.get(channel);
    if (!history) return { events: [], isComplete: isKnown, now };
    const before = history.bytes;
    const page = history.page(limit, after, now, isKnown);
    this.bytes += history.bytes - before;
    return page;
  }

  // Otherwise channels on which nothing is published any more would keep their events.
  private sweep(): void {
    this.sinceSweep = 0;
    const now = performance.now();
    const all: MemoryHistory[] = [];
    for (const channels of this.apps.values())
      for (const [channel, history] of channels) {
        history.trim(now);
        if (now - history.latestAt > rememberMs) channels.delete(channel);
        else all.push(history);
      }
    this.bytes = all.reduce((sum, { bytes }) => sum + bytes, 0);
    if (this.bytes > this.maxBytes) this.makeRoom(all);
  }

  /** Drops a little more than needed, so that this does not run for every following event. */
  private makeRoom(all: readonly MemoryHistory[]): void {
    for (const history of all.toSorted((a, b) => a.latestAt - b.latestAt))
      while (history.bytes > 0 && this.bytes > this.maxBytes * 0.9) {
        const before = history.bytes;
        history.dropFirst();
        this.bytes += history.bytes - before;
      }
  }
}
