import type { Awaitable } from 'rookery/common';

/** A channel that became occupied or was vacated; `version` is greater than those of all its changes before. */
export interface OccupancyChange {
  readonly to: 'occupied' | 'vacated';
  readonly version: number;
  /** It was vacated before, and nobody has confirmed that: whoever holds that news back will not tell it any more. */
  readonly isReturn?: true;
}

/** How many connections of all processes are on a channel, and whether the call changed if there are any. */
export interface Occupancy {
  readonly count: number;
  readonly change?: OccupancyChange;
}

/** The {@link Occupancy} of one channel among others. */
export interface ChannelOccupancy extends Occupancy {
  readonly appId: string;
  readonly channel: string;
}

/** All that a process holds. */
export interface NodeHoldings {
  readonly channels: readonly { readonly appId: string; readonly channel: string; readonly connections: number }[];
  /** Those that count towards `maxConnections`. */
  readonly admitted: readonly { readonly appId: string; readonly connectionId: string }[];
}

/**
 * What the processes know together about the channels and connections of all apps. Nothing of one app is ever seen
 * through the id of another. Everything that is held is held by a process, under its name.
 *
 * - `occupy` says how many connections of a process are on a channel, all of them, not one more or less. It is atomic and
 *   answers the number over all processes; `change` says that this very call made the channel occupied (0 before it) or
 *   vacated (0 after it). A process makes one call for a channel at a time. Repeated with the same number because the
 *   answer was lost, it answers within a minute what the first call did, the change included.
 * - `confirmVacated` answers true to exactly one call, and only while the channel has not been occupied since that
 *   version; from then on a process that occupies it is told of no return. What nobody confirms may be forgotten after a
 *   minute.
 * - `subscriptionCounts` answers in the order of the channels; one that is not occupied has 0. `occupied` answers the
 *   names that begin with `prefix`, page by page; what changes meanwhile may be missing or come twice.
 * - `admit` counts a connection of an app unless it has `limit` others already, atomically; `dismiss` takes it out. Both
 *   may be repeated: a connection counts once.
 * - `announce` says all that a process holds: what it held beyond that is taken out, what is missing is put in, whatever
 *   the limits. `takeOut` takes out all that a dead process held. Both answer the channels whose number changed.
 * - A channel that was vacated is held by the process that made it so until it is confirmed. `takeOut` answers those of
 *   the dead process, too; what it answers as vacated is held by `heirId` then, and answered again when that one is taken
 *   out.
 */
export abstract class ChannelRepository {
  abstract occupy(appId: string, channel: string, nodeId: string, connections: number): Awaitable<Occupancy>;
  abstract confirmVacated(appId: string, channel: string, version: number): Awaitable<boolean>;
  abstract subscriptionCounts(appId: string, channels: readonly string[]): Awaitable<readonly number[]>;
  abstract occupied(appId: string, prefix: string): Iterable<readonly string[]> | AsyncIterable<readonly string[]>;
  abstract admit(appId: string, nodeId: string, connectionId: string, limit: number): Awaitable<boolean>;
  abstract dismiss(appId: string, nodeId: string, connectionId: string): Awaitable<void>;
  abstract announce(nodeId: string, holdings: NodeHoldings): Awaitable<readonly ChannelOccupancy[]>;
  abstract takeOut(nodeId: string, heirId: string): Awaitable<readonly ChannelOccupancy[]>;
}
