import { Injectable } from '@nestjs/common';
import { type Awaitable, ThisNode } from '#common';
import type { App } from '../../app/app.js';
import { ChannelRepository, type NodeHoldings, type Occupancy } from '../../storage/channel.repository.js';
import { ChannelNotifier } from '../channel-notifier.js';

/** A channel that connections of this process are on, or were on at the last report to the repository. */
interface ChannelOccupancy {
  /** As of the latest connection that joined or left. */
  app: App;
  readonly channel: string;
  connections: number;
  /** The last count that the repository confirmed, and its answer. */
  announced: number;
  latest: VersionedCount;
  /** Whether `latest` may lack changes of other processes that were not told here. */
  isOutdated: boolean;
  /** The count of a call without an answer: the repository may have received it or not. */
  unanswered: number | undefined;
  underWay: Promise<void> | undefined;
  failures: number;
  retry: NodeJS.Timeout | undefined;
}

/** The number of connections over all processes, as of the version. */
export type VersionedCount = Pick<Occupancy, 'count' | 'version'>;

const none: VersionedCount = { count: 0, version: 0 };
const firstRetryMs = 50;
const longestRetryMs = 5000;

/**
 * Counts this process's connections on each channel. It reports the absolute count to the repository, one call at a time for
 * each channel. A call that is not answered is repeated until it is, so that no channel stays occupied without
 * connections.
 */
@Injectable()
export class LocalOccupancy {
  private readonly apps = new Map<string, Map<string, ChannelOccupancy>>();

  constructor(
    private readonly repository: ChannelRepository,
    private readonly node: ThisNode,
    private readonly notifier: ChannelNotifier,
  ) {}

  /**
   * Counts one more connection.
   * @returns the number of connections over all processes
   * @throws what the repository threw; then the connection is not counted
   */
  enter(app: App, channel: string): Awaitable<VersionedCount> {
    const entry = this.find(app.id, channel) ?? this.open(app, channel);
    entry.app = app;
    // Until now, this process had no connection to receive changes.
    if (entry.connections === 0) entry.isOutdated = true;
    entry.connections++;
    try {
      const latest = this.announce(entry);
      return latest instanceof Promise ? latest.catch((error: unknown) => this.takeBack(entry, error)) : latest;
    } catch (error) {
      return this.takeBack(entry, error);
    }
  }

  /** Counts one connection less; call it at most once for each {@link enter} that settled. */
  leave(app: App, channel: string): Awaitable<VersionedCount> {
    const entry = this.find(app.id, channel);
    if (!entry) return none;
    entry.app = app;
    entry.connections--;
    return this.announce(entry);
  }

  /**
   * Reports the number of this process's connections again.
   * @returns the number over all processes, unless this process has none on the channel
   */
  reportAgain(appId: string, channel: string): Awaitable<VersionedCount> | undefined {
    const entry = this.find(appId, channel);
    if (!entry) return undefined;
    entry.isOutdated = true;
    return this.announce(entry);
  }

  /** All channels that connections of this process are on. */
  holdings(): NodeHoldings['channels'] {
    return [...this.apps].flatMap(([appId, entries]) =>
      Array.from(entries.values(), ({ channel, connections }) => ({ appId, channel, connections })).filter(
        ({ connections }) => connections > 0,
      ),
    );
  }

  /**
   * Reports unreported changes to the repository. A connection that joins during the report waits, then checks again.
   */
  private announce(entry: ChannelOccupancy): Awaitable<VersionedCount> {
    const { underWay } = entry;
    if (underWay) return underWay.catch(() => undefined).then(() => this.announce(entry));
    const { unanswered, isOutdated, announced, connections } = entry;
    if (unanswered === undefined && !isOutdated && announced === connections) return this.settled(entry);
    const reported = this.report(entry);
    return reported instanceof Promise ? reported.then(() => this.announce(entry)) : this.announce(entry);
  }

  private report(entry: ChannelOccupancy): Awaitable<void> {
    const { app, channel, unanswered } = entry;
    const connections = unanswered ?? entry.connections;
    entry.unanswered = connections;
    entry.isOutdated = false;
    try {
      const answer = this.repository.occupy(app.id, channel, this.node.id, connections);
      if (!(answer instanceof Promise)) return this.answered(entry, connections, answer);
      entry.underWay = answer
        .then(
          (occupancy) => this.answered(entry, connections, occupancy),
          (error: unknown) => this.failed(entry, error),
        )
        .finally(() => (entry.underWay = undefined));
      return entry.underWay;
    } catch (error) {
      this.failed(entry, error);
    }
  }

  private answered(entry: ChannelOccupancy, connections: number, { count, version, change }: Occupancy): void {
    const isAgain = connections === entry.announced;
    entry.unanswered = undefined;
    entry.announced = connections;
    entry.latest = { count, version };
    entry.failures = 0;
    if (change && !isAgain) this.notifier.occupancy(entry.app, entry.channel, change);
  }

  private failed(entry: ChannelOccupancy, error: unknown): never {
    const delayMs = Math.min(firstRetryMs * 2 ** entry.failures++, longestRetryMs);
    entry.retry ??= setTimeout(() => {
      entry.retry = undefined;
      // A failed report schedules its own retry.
      void (async () => this.announce(entry))().catch(() => undefined);
    }, delayMs).unref();
    throw error;
  }

  private takeBack(entry: ChannelOccupancy, error: unknown): never {
    entry.connections--;
    throw error;
  }

  private settled(entry: ChannelOccupancy): VersionedCount {
    if (entry.connections === 0) this.forget(entry);
    return entry.latest;
  }

  private find(appId: string, channel: string): ChannelOccupancy | undefined {
    return this.apps.get(appId)?.get(channel);
  }

  private open(app: App, channel: string): ChannelOccupancy {
    let entries = this.apps.get(app.id);
    if (!entries) this.apps.set(app.id, (entries = new Map()));
    const nothing = {
      connections: 0,
      announced: 0,
      latest: none,
      isOutdated: false,
      unanswered: undefined,
      failures: 0,
    };
    const entry = { app, channel, ...nothing, underWay: undefined, retry: undefined };
    entries.set(channel, entry);
    return entry;
  }

  private forget(entry: ChannelOccupancy): void {
    const { app, channel } = entry;
    const entries = this.apps.get(app.id);
    // A waiting connection may be admitted when another one makes room.
    if (entries?.get(channel) === entry) entries.delete(channel);
    if (entries?.size === 0) this.apps.delete(app.id);
  }
}
