import { fairLevel, FairMap } from '#common';
import type { HistoryBounds } from '../app/history-rule.js';
import type { BrokerEvent, HistoryPage, Position } from './broker.js';
import { MemoryHistory } from './memory-history.js';

interface PastHistory {
  /** The position of its latest event. */
  readonly lost: Position;
  readonly latestAt: number;
}

/** How long a channel without new events is known to have had some. */
const rememberMs = 2 * 86_400_000;
/** What remembering a channel takes besides its name. */
const besideName = 250;

/** The histories of all channels, in memory. */
export class MemoryHistories {
  private readonly apps = new Map<string, Map<string, MemoryHistory>>();
  /** Of channels whose events are all over: which ones they have lost. */
  private readonly past: FairMap<PastHistory>;
  /** By app: a channel that is not remembered may have lost events up to this one. */
  private readonly forgotten = new Map<string, Position>();
  private bytes = 0;

  /**
   * @param maxBytes of the events of all channels; beyond it, apps with the most lose their oldest histories
   * @param maxPastBytes for channels that have no events any more; beyond it, it is forgotten which ones they have lost
   */
  constructor(
    private readonly maxBytes: number,
    maxPastBytes = 64 * 1024 * 1024,
  ) {
    const isOver = ({ latestAt }: PastHistory): boolean => performance.now() - latestAt > rememberMs;
    this.past = new FairMap(maxPastBytes, isOver, (appId, { lost }) => {
      if (lost > (this.forgotten.get(appId) ?? '')) this.forgotten.set(appId, lost);
    });
  }

  add({ appId, channel, text, except }: BrokerEvent, position: Position, bounds: HistoryBounds): void {
    let channels = this.apps.get(appId);
    if (!channels) this.apps.set(appId, (channels = new Map()));
    let history = channels.get(channel);
    if (!history) {
      channels.set(channel, (history = new MemoryHistory(this.lost(appId, channel))));
      this.past.delete(appId, channel);
    }
    const before = history.bytes;
    history.add({ text, position, ...(except === undefined ? {} : { except }) }, bounds);
    this.bytes += history.bytes - before;
    if (this.bytes > this.maxBytes) this.forget();
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
    if (!history) {
      const lost = this.lost(appId, channel);
      return { events: [], isComplete: isKnown && (lost === undefined || (after !== undefined && after >= lost)), now };
    }
    const before = history.bytes;
    const page = history.page(limit, after, now, isKnown);
    this.bytes += history.bytes - before;
    return page;
  }

  /** Whether no channel keeps events. */
  get areEmpty(): boolean {
    return this.bytes === 0;
  }

  /** Forgets events that are over: channels on which nothing is published any more would keep theirs. */
  forget(): void {
    const now = performance.now();
    for (const [appId, channels] of this.apps)
      for (const [channel, history] of channels) {
        history.trim(now);
        const { lost, latestAt } = history;
        if (lost === undefined) continue;
        channels.delete(channel);
        this.past.set(appId, channel, { lost, latestAt }, besideName + channel.length);
      }
    const apps = Array.from(this.apps.values(), (channels) => [...channels.values()]);
    // A little more than needed, so that this does not run for every following event.
    if (sumOf(apps.map(sizeOf)) > this.maxBytes) makeRoom(apps, this.maxBytes * 0.9);
    this.bytes = sumOf(apps.map(sizeOf));
  }

  private lost(appId: string, channel: string): Position | undefined {
    return this.past.get(appId, channel)?.lost ?? this.forgotten.get(appId);
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
