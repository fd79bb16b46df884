import type { Awaitable, Found } from '#common';
import type { ApnsEnvironment } from './apns-environment.js';
import type { PublishTarget, Device, DeviceAddress } from './device.js';
import type { Platform } from './platform.js';

export const maxDevicesPerUser = 100;
export const maxInterestsPerDevice = 5000;

/** A device seen again within this time is not written again: a day. */
export const seenOnceMs = 86_400_000;

/** A registering device; the repository decides whether it is known. */
export type Registration = Pick<
  Device,
  'platform' | 'token' | 'bundleIdentifier' | 'metadata' | 'environment' | 'vapidKey'
>;

/** Apple's environment of a device's token, unless the device registered after `before`, in epoch milliseconds. */
export interface KnownEnvironment {
  readonly id: string;
  readonly before: number;
  readonly environment: ApnsEnvironment;
}

/** A position in the list of the latest devices. */
export type DeviceCursor = Pick<Device, 'registeredAt' | 'id'>;

/** A removed device. */
export interface RemovedDevice {
  readonly instanceId: string;
  readonly id: string;
  /** Its user, if it had one. */
  readonly userId?: string;
}

/** One step of removing devices that were not seen for long. Times are epoch milliseconds. */
export interface UnseenStep {
  /** Devices last seen or registered before this time are removed. */
  readonly before: number;
  readonly now: number;
  /** The `last` of the previous step; empty for the first. */
  readonly after: string;
  /** The devices examined in one step; other writes can run between two steps. */
  readonly limit: number;
}

/**
 * The devices of all instances, their interests and their users. Every method is scoped by an instance: an id of
 * another instance is an unknown id. The limits are checked where the data is, so they hold when calls race.
 *
 * - `register` keeps one row per `tokenIdentity` of instance and platform. A known device keeps its id, user,
 *   interests and `vapidKey`, takes the new spelling of the token with its keys, the new metadata, `environment` and `registeredAt`; the answer lists
 *   its interests.
 * - `setToken` gives the device a new token; another device of the instance and platform that holds it is removed and
 *   answered.
 * - `setUser` answers `other-user` when the device belongs to someone else, `full` when the user has
 *   `maxDevicesPerUser` devices already, and changes nothing then; the same user again is `ok`.
 * - `setInterests` replaces the whole set or, over the limit, changes nothing. `addInterest` of a present one is `ok`.
 * - `interests` answers at most `limit` names greater than `after`, in ascending byte order.
 * - `remove…` is harmless for unknown ids. `removeUser` removes the user's devices and all their data. All of them
 *   answer the devices they removed: each device is answered once, even to concurrent calls. An implementation that
 *   removes in several steps answers those that it has removed when a step fails; the others stay. `removeUser` is
 *   called until it answers none.
 * - `inAudience` answers at most `limit` devices with an id greater than `after`, ascending, each once however many
 *   interests match: a keyset page. It has fewer than `limit` only at the end. A device with an interest of `noneOf`, or
 *   without one of `allOf`, when the page is read, is not in it.
 * - `latest` answers at most `limit` devices, the latest registered first (`registeredAt`, then id, descending), before a
 *   place or from the start.
 * - `markGone` notes the time of a gateway's report that devices are gone, in `goneSince`; an earlier one stays. Devices
 *   that registered after `before` are not marked. `unmarkGone` removes the marks; so do `register` and `setToken`.
 *   Marked devices stay in their audiences. Both are harmless for unknown ids.
 * - `setEnvironments` notes Apple's environment of each device named. Devices that registered after its `before` keep
 *   theirs, and unknown ids are harmless.
 * - `removeUnregistered` removes those of the named devices whose token was not registered again after `before` (epoch
 *   milliseconds, absent: whatever its age).
 * - `see` notes that the device was seen, at most once in `seenOnceMs`; an unknown id is harmless.
 * - `removeUnseen` looks at devices of all instances, in the order of their ids, and removes those whose latest
 *   sighting and registration are before the moment given. A device never passed to `see` counts as seen now. It
 *   answers the removed devices and the last id it examined, or none at the end. An implementation in memory may
 *   examine all of them in one step.
 */
export abstract class DeviceRepository {
  abstract register(
    instanceId: string,
    registration: Registration,
    now: number,
  ): Awaitable<{ readonly id: string; readonly interests: readonly string[] }>;
  abstract find(instanceId: string, platform: Platform, id: string): Awaitable<Found<Device>>;
  abstract remove(instanceId: string, platform: Platform, id: string): Awaitable<Found<RemovedDevice>>;
  abstract setMetadata(
    instanceId: string,
    platform: Platform,
    id: string,
    metadata: Readonly<Record<string, string>>,
  ): Awaitable<'ok' | 'unknown'>;
  abstract setToken(
    instanceId: string,
    platform: Platform,
    id: string,
    token: string,
    now: number,
  ): Awaitable<'ok' | 'unknown' | RemovedDevice>;
  abstract setUser(
    instanceId: string,
    platform: Platform,
    id: string,
    userId: string,
  ): Awaitable<'ok' | 'unknown' | 'other-user' | 'full'>;
  abstract interests(
    instanceId: string,
    platform: Platform,
    id: string,
    after: string,
    limit: number,
  ): Awaitable<readonly string[] | 'unknown'>;
  abstract setInterests(
    instanceId: string,
    platform: Platform,
    id: string,
    interests: ReadonlySet<string>,
  ): Awaitable<'ok' | 'unknown' | 'full'>;
  abstract addInterest(
    instanceId: string,
    platform: Platform,
    id: string,
    interest: string,
  ): Awaitable<'ok' | 'unknown' | 'full'>;
  abstract removeInterest(
    instanceId: string,
    platform: Platform,
    id: string,
    interest: string,
  ): Awaitable<'ok' | 'unknown'>;
  abstract removeUser(instanceId: string, userId: string): Awaitable<readonly RemovedDevice[]>;
  abstract inAudience(
    instanceId: string,
    target: PublishTarget,
    after: string,
    limit: number,
  ): Awaitable<readonly DeviceAddress[]>;
  abstract latest(instanceId: string, limit: number, before?: DeviceCursor): Awaitable<readonly DeviceAddress[]>;
  abstract markGone(
    instanceId: string,
    devices: readonly { readonly id: string; readonly before: number }[],
    now: number,
  ): Awaitable<void>;
  abstract unmarkGone(instanceId: string, ids: readonly string[]): Awaitable<void>;
  abstract setEnvironments(instanceId: string, devices: readonly KnownEnvironment[]): Awaitable<void>;
  abstract removeUnregistered(
    instanceId: string,
    devices: readonly { readonly id: string; readonly before?: number }[],
  ): Awaitable<readonly RemovedDevice[]>;
  abstract see(instanceId: string, platform: Platform, id: string, now: number): Awaitable<void>;
  abstract removeUnseen(
    step: UnseenStep,
  ): Awaitable<{ readonly removed: readonly RemovedDevice[]; readonly last?: string }>;
}
