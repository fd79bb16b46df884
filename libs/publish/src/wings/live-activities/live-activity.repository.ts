import type { Awaitable } from '#common';

/** Identifies the broadcast channel that an interest has at Apple for one app. */
export interface BroadcastChannelName {
  readonly instanceId: string;
  /** Apple's gateway, by its host: the sandbox and production have separate channels. */
  readonly environment: string;
  readonly interest: string;
  readonly bundleIdentifier: string;
}

/** A broadcast channel at Apple. */
export interface BroadcastChannel extends BroadcastChannelName {
  /** Apple's id of the channel, in base64. */
  readonly channelId: string;
  /** Whether Apple keeps the latest update for devices that are offline. */
  readonly storesLatest: boolean;
}

/** The right to create a channel; times are epoch milliseconds. */
export interface ChannelReservation {
  /** Unique to the caller's attempt. */
  readonly by: string;
  readonly now: number;
  /** From then on, another caller may reserve the channel. */
  readonly until: number;
}

/**
 * What Live Activities need besides the devices: the broadcast channels of interests, and the tokens with which a device
 * starts an activity. Shared by all processes.
 *
 * - `channels` answers the existing channels of any of the interests, in no particular order.
 * - `reserve` answers the channel if it exists. Otherwise, of concurrent callers exactly one gets `reserved` and creates
 *   the channel at Apple; the others get `busy` until it has kept or released the channel, or its reservation has ended.
 * - `keep` stores a created channel and ends the reservation. If the caller no longer holds it, nothing changes and the
 *   answer is false. `release` gives a reservation up; it is harmless for one that is no longer held.
 * - `removeChannel` removes the channel only while it has this id, and answers whether it did.
 * - `setStartToken` replaces an earlier token of the device. `startTokens` answers the tokens of those devices that have
 *   one, by device id. `removeStartTokens` is harmless for devices without one; with a `token`, it leaves another one.
 */
export abstract class LiveActivityRepository {
  abstract channels(
    instanceId: string,
    environment: string,
    interests: readonly string[],
  ): Awaitable<readonly BroadcastChannel[]>;
  abstract reserve(
    name: BroadcastChannelName,
    reservation: ChannelReservation,
  ): Awaitable<BroadcastChannel | 'reserved' | 'busy'>;
  abstract keep(channel: BroadcastChannel, by: string): Awaitable<boolean>;
  abstract release(name: BroadcastChannelName, by: string): Awaitable<void>;
  abstract removeChannel(name: BroadcastChannelName, channelId: string): Awaitable<boolean>;
  abstract setStartToken(instanceId: string, deviceId: string, token: string): Awaitable<void>;
  abstract startTokens(instanceId: string, deviceIds: readonly string[]): Awaitable<ReadonlyMap<string, string>>;
  abstract removeStartTokens(instanceId: string, deviceIds: readonly string[], token?: string): Awaitable<void>;
}
