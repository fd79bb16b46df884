import { fairLevel } from '#common';
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

  /** @param maxBytes of all channels together; beyond it, apps with the most lose their oldest histories */
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
    for (const channels of this.apps.values())
      for (const [channel, history] of channels) {
        history.trim(now);
        if (now - history.latestAt > rememberMs) channels.delete(channel);
      }
    const apps = Array.from(this.apps.values(), (channels) => [...channels.values()]);
    // A little more than needed, so that this does not run for every following event.
    if (sumOf(apps.map(sizeOf)) > this.maxBytes) makeRoom(apps, this.maxBytes * 0.9);
    this.bytes = sumOf(apps.map(sizeOf));
  }
}

type HistoriesOfApp = readonly MemoryHistory[];

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
const sizeOf = (histories: HistoriesOfApp): number => sumOf(histories.map(({ bytes }) => bytes));

function makeRoom(apps: readonly HistoriesOfApp[], most: number): void {
  const level = fairLevel(apps.map(sizeOf), most);
  for (const histories of apps) {
    let left = sizeOf(histories);
    for (const history of histories.toSorted((one, other) => one.latestAt - other.latestAt))
      while (history.bytes > 0 && left > level) {
        const before = history.bytes;
        history.dropFirst();
        left += history.bytes - before;
      }
  }
}
