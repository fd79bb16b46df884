import type { Awaitable } from '#common';

/** A channel became occupied or was vacated; `version` is greater than those of all earlier changes. */
export interface OccupancyChange {
  readonly to: 'occupied' | 'vacated';
  readonly version: number;
  /** The channel had been vacated, and that was not confirmed: a process that delays the announcement drops it. */
  readonly isReturn?: true;
}

/** The number of connections on a channel over all processes, and whether the call made it occupied or vacated. */
export interface Occupancy {
  readonly count: number;
  /** Greater than those of all earlier numbers of the channel, so that a late answer is recognized. */
  readonly version: number;
  readonly change?: OccupancyChange;
}

/** The {@link Occupancy} of one of several channels. */
export interface ChannelOccupancy extends Occupancy {
  readonly appId: string;
  readonly channel: string;
}

/** Everything that a process holds. */
export interface NodeHoldings {
  readonly channels: readonly { readonly appId: string; readonly channel: string; readonly connections: number }[];
  /** The connections that count towards `maxConnections`. */
  readonly admitted: readonly { readonly appId: string; readonly connectionId: string }[];
}

/**
 * The state of channels and connections that all processes share. Data of one app is never visible through the id of
 * another. Every entry belongs to a process, and is stored under its name.
 *
 * - `occupy` sets how many connections of a process are on a channel, as an absolute number. It is atomic and answers
 *   the number over all processes; `change` reports that this very call made the channel occupied (0 before it) or
 *   vacated (0 after it). A process makes one call for a channel at a time. A call that is repeated with the same
 *   number within a minute, because its answer was lost, gets the `change` of the first call, and the number as it is
 *   now; without the `change` if the process has changed many other channels since.
 * - `holdsVacancy` answers whether the channel's vacancy of that version is unconfirmed and belongs to the process.
 * - `confirmVacated` answers true to exactly one call, and only while the channel has not been occupied since that
 *   version; a process that occupies the channel later gets no `isReturn`. An unconfirmed vacancy may be forgotten
 *   after a minute, or earlier when many others follow: clients choose the names of channels, so what is kept of left
 *   channels is bounded in bytes. A forgotten vacancy is answered as held and confirmed while the channel is vacant.
 * - `subscriptionCounts` answers in the order of the channels, with 0 for one that is not occupied. `occupied` answers
 *   the names that begin with `prefix`, page by page; names that change meanwhile may be missing or repeated.
 * - `admit` atomically counts a connection of an app unless the app has `limit` others already; `dismiss` removes it.
 *   Both may be repeated: a connection counts once.
 * - `announce` sets everything that a process holds: other entries of the process are removed and missing ones added,
 *   regardless of limits. `takeOut` removes all entries of a dead process. Both answer the channels whose number
 *   changed.
 * - A vacated channel belongs to the process that vacated it until the vacancy is confirmed. `takeOut` also answers the
 *   unconfirmed ones of the dead process; they then belong to `heirId`, and are answered again when that process is
 *   removed.
 */
export abstract class ChannelRepository {
  abstract occupy(appId: string, channel: string, nodeId: string, connections: number): Awaitable<Occupancy>;
  abstract holdsVacancy(appId: string, channel: string, version: number, nodeId: string): Awaitable<boolean>;
  abstract confirmVacated(appId: string, channel: string, version: number): Awaitable<boolean>;
  abstract subscriptionCounts(appId: string, channels: readonly string[]): Awaitable<readonly number[]>;
  abstract occupied(appId: string, prefix: string): Iterable<readonly string[]> | AsyncIterable<readonly string[]>;
  abstract admit(appId: string, nodeId: string, connectionId: string, limit: number): Awaitable<boolean>;
  abstract dismiss(appId: string, nodeId: string, connectionId: string): Awaitable<void>;
  abstract announce(nodeId: string, holdings: NodeHoldings): Awaitable<readonly ChannelOccupancy[]>;
  abstract takeOut(nodeId: string, heirId: string): Awaitable<readonly ChannelOccupancy[]>;
}
