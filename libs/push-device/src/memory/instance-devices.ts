import { type PublishTarget, type DeviceAddress, isCombined } from '../device.js';
import { newDeviceId } from '../device-id.js';
import {
  type DeviceCursor,
  type KnownEnvironment,
  maxDevicesPerUser,
  type Registration,
  type RemovedDevice,
} from '../device.repository.js';
import type { Platform } from '../platform.js';
import { combinedPage } from './combined-page.js';
import { mergedPage, SortedIds } from './sorted-ids.js';
import { tokenIdentity } from '../token-identity.js';
import { listed, listOf, unlist, type StoredDevice } from './stored-device.js';

const newList = () => new SortedIds();

/** The devices of one instance, indexed for publishing and limits. */
export class InstanceDevices {
  private readonly byId = new Map<string, StoredDevice>();
  private readonly byToken = new Map<string, StoredDevice>();
  private readonly byInterest = new Map<string, SortedIds>();
  private readonly byUser = new Map<string, SortedIds>();

  find(platform: Platform, id: string): StoredDevice | undefined {
    const device = this.byId.get(id);
    return device?.platform === platform ? device : undefined;
  }

  register(instanceId: string, registration: Registration, now: number): StoredDevice {
    const known = this.byToken.get(tokenIdentity(registration));
    const { environment } = registration;
    if (known) {
      const kept = { vapidKey: known.vapidKey, environment, registeredAt: now, goneSince: undefined };
      return Object.assign(known, registration, kept);
    }
    const id = newDeviceId(registration.platform);
    const device: StoredDevice = { ...registration, id, instanceId, registeredAt: now, interests: new Set() };
    this.byId.set(id, device);
    this.byToken.set(tokenIdentity(device), device);
    return device;
  }

  setToken(device: StoredDevice, token: string, now: number): 'ok' | RemovedDevice {
    const other = this.byToken.get(tokenIdentity({ ...device, token }));
    const removed = other && other !== device ? this.remove(other) : undefined;
    this.byToken.delete(tokenIdentity(device));
    device.token = token;
    device.registeredAt = now;
    device.goneSince = undefined;
    this.byToken.set(tokenIdentity(device), device);
    return removed ?? 'ok';
  }

  setUser(device: StoredDevice, userId: string): 'ok' | 'other-user' | 'full' {
    if (device.userId !== undefined) return device.userId === userId ? 'ok' : 'other-user';
    const devices = listOf(this.byUser, userId, newList);
    if (devices.size >= maxDevicesPerUser) return 'full';
    devices.add(device.id);
    device.userId = userId;
    return 'ok';
  }

  addInterest(device: StoredDevice, interest: string): void {
    device.interests.add(interest);
    listOf(this.byInterest, interest, newList).add(device.id);
  }

  removeInterest(device: StoredDevice, interest: string): void {
    device.interests.delete(interest);
    unlist(this.byInterest, interest, device.id);
  }

  remove(device: StoredDevice): RemovedDevice {
    for (const interest of device.interests) unlist(this.byInterest, interest, device.id);
    if (device.userId !== undefined) unlist(this.byUser, device.userId, device.id);
    this.byToken.delete(tokenIdentity(device));
    this.byId.delete(device.id);
    const { instanceId, id, userId } = device;
    return { instanceId, id, ...(userId !== undefined && { userId }) };
  }

  removeUser(userId: string): readonly RemovedDevice[] {
    const ids = this.byUser.get(userId)?.page('', Infinity) ?? [];
    return ids.map((id) => this.remove(this.byId.get(id)!));
  }

  markGone(gone: readonly { readonly id: string; readonly before: number }[], now: number): void {
    for (const { id, before } of gone) {
      const device = this.byId.get(id);
      if (device && device.registeredAt <= before) device.goneSince ??= now;
    }
  }

  unmarkGone(ids: readonly string[]): void {
    for (const id of ids) {
      const device = this.byId.get(id);
      if (device) device.goneSince = undefined;
    }
  }

  setEnvironments(devices: readonly KnownEnvironment[]): void {
    for (const { id, before, environment } of devices) {
      const device = this.byId.get(id);
      if (device && device.registeredAt <= before) device.environment = environment;
    }
  }

  removeUnregistered(devices: readonly { readonly id: string; readonly before?: number }[]): readonly RemovedDevice[] {
    const removed: RemovedDevice[] = [];
    for (const { id, before = Infinity } of devices) {
      const device = this.byId.get(id);
      if (!device || device.registeredAt > before) continue;
      removed.push(this.remove(device));
    }
    return removed;
  }

  removeUnseen(before: number, now: number): readonly RemovedDevice[] {
    const removed: RemovedDevice[] = [];
    for (const device of this.byId.values()) {
      device.seenAt ??= now;
      if (Math.max(device.seenAt, device.registeredAt) >= before) continue;
      removed.push(this.remove(device));
    }
    return removed;
  }

  inAudience(target: PublishTarget, after: string, limit: number): readonly DeviceAddress[] {
    return this.idsIn(target, after, limit).map((id) => addressOf(this.byId.get(id)!));
  }

  private idsIn(target: PublishTarget, after: string, limit: number): readonly string[] {
    if (isCombined(target)) return combinedPage(this.byInterest, target, after, limit);
    const { interests, users } = target;
    return mergedPage(interests ? listed(this.byInterest, interests) : listed(this.byUser, users), after, limit);
  }

  latest(limit: number, before?: DeviceCursor): readonly DeviceAddress[] {
    return [...this.byId.values()]
      .filter((device) => !before || byPlace(device, before) < 0)
      .sort((one, other) => byPlace(other, one))
      .slice(0, limit)
      .map(addressOf);
  }
}

const byPlace = (one: DeviceCursor, other: DeviceCursor): number =>
  one.registeredAt - other.registeredAt || (one.id < other.id ? -1 : Number(one.id > other.id));

const addressOf = (device: StoredDevice): DeviceAddress => {
  const { id, platform, token, bundleIdentifier, userId, registeredAt, goneSince, environment, vapidKey } = device;
  return { id, platform, token, bundleIdentifier, userId, registeredAt, goneSince, environment, vapidKey };
};
