import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  type PublishTarget,
  type Device,
  type DeviceAddress,
  type DeviceCursor,
  DeviceRepository,
  type KnownEnvironment,
  maxDevicesPerUser,
  maxInterestsPerDevice,
  type Platform,
  type Registration,
  type RemovedDevice,
  seenOnceMs,
  tokenIdentity,
  type UnseenStep,
} from 'rookery/push-device';
import { DocumentStore, folder, path } from '../store/document.store.js';
import type { Transaction } from '../store/transaction.js';

interface StoredDevice extends Device {
  /** In the order of their bytes. */
  readonly interests: readonly string[];
  readonly seenAt?: number;
}

const devices = folder('devices');
const devicePath = (instanceId: string, id: string) => path('devices', instanceId, id);
/** A token belongs to one device, however it is spelled. */
const tokenPath = ({ instanceId, ...registration }: Registration & { instanceId: string }) =>
  path('device-tokens', instanceId, tokenIdentity(registration));
const userPath = (instanceId: string, userId: string) => path('device-users', instanceId, userId);
const interestFolder = (instanceId: string, interest: string) => folder('device-interests', instanceId, interest);

const byPlace = (one: DeviceCursor, other: DeviceCursor): number =>
  one.registeredAt - other.registeredAt || (one.id < other.id ? -1 : Number(one.id > other.id));

/** At most `limit` ids after `after` of the devices of the users, or with any of the interests. */
async function idsOf(
  documents: Transaction,
  instanceId: string,
  { users = [], interests = [] }: PublishTarget,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const userId of users)
    for (const id of (await documents.get<readonly string[]>(userPath(instanceId, userId))) ?? []) ids.add(id);
  for (const interest of interests)
    for (const { value } of await documents.list<string>(interestFolder(instanceId, interest), after, limit))
      ids.add(value);
  const page = [...ids].filter((id) => id > after).toSorted();
  return page.slice(0, limit);
}

/** Whether it has all interests of `allOf` and none of `noneOf`. */
function isCombinedIn(target: PublishTarget, { interests }: StoredDevice): boolean {
  if (target.users) return true;
  const { allOf = [], noneOf = [] } = target;
  return allOf.every((name) => interests.includes(name)) && !noneOf.some((name) => interests.includes(name));
}

/**
 * A document for each device with its interests. Three more find devices: one for each token, one for each user with
 * the ids of the user's devices, and one for each interest of a device, in the order of the devices' ids. They are
 * written with the device or not at all, and its limits are looked at in the same transaction: so they hold when calls
 * race.
 */
@Injectable()
export class StoredDeviceRepository extends DeviceRepository {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  async register(instanceId: string, registration: Registration, now: number) {
    return this.store.transact(async (documents) => {
      const token = tokenPath({ ...registration, instanceId });
      const known = await documents.get<string>(token);
      const before = known === undefined ? undefined : await this.deviceOf(documents, instanceId, known);
      const { platform, bundleIdentifier, metadata, environment, vapidKey } = registration;
      const fresh = { id: `${platform}-${randomUUID()}`, interests: [], vapidKey };
      const device = {
        ...(before ?? fresh),
        instanceId,
        platform,
        token: registration.token,
        bundleIdentifier,
        metadata,
        registeredAt: now,
        goneSince: undefined,
        environment,
      };
      documents.set(token, device.id);
      documents.set(devicePath(instanceId, device.id), device satisfies StoredDevice);
      return { id: device.id, interests: device.interests };
    });
  }

  async find(instanceId: string, platform: Platform, id: string): Promise<Device | undefined> {
    const found = (await this.store.read<StoredDevice>(devicePath(instanceId, id)))?.value;
    if (found?.platform !== platform) return undefined;
    const { interests: _, seenAt: __, ...device } = found;
    return device;
  }

  remove(instanceId: string, platform: Platform, id: string): Promise<RemovedDevice | undefined> {
    return this.store.transact((documents) =>
      this.dropIf(documents, instanceId, id, (device) => device.platform === platform),
    );
  }

  setMetadata(instanceId: string, platform: Platform, id: string, metadata: Readonly<Record<string, string>>) {
    return this.change<'ok'>(instanceId, platform, id, async (device, documents) => {
      documents.set(devicePath(instanceId, id), { ...device, metadata });
      return 'ok';
    });
  }

  setToken(instanceId: string, platform: Platform, id: string, token: string, now: number) {
    return this.change<'ok' | RemovedDevice>(instanceId, platform, id, async (device, documents) => {
      const renewed = { ...device, token, registeredAt: now, goneSince: undefined };
      const holderId = await documents.get<string>(tokenPath(renewed));
      const holder = holderId && holderId !== id ? await this.deviceOf(documents, instanceId, holderId) : undefined;
      const removed = holder && (await this.drop(documents, holder));
      documents.remove(tokenPath(device));
      documents.set(tokenPath(renewed), id);
      documents.set(devicePath(instanceId, id), renewed);
      return removed ?? 'ok';
    });
  }

  setUser(instanceId: string, platform: Platform, id: string, userId: string) {
    return this.change<'ok' | 'other-user' | 'full'>(instanceId, platform, id, async (device, documents) => {
      if (device.userId !== undefined) return device.userId === userId ? 'ok' : 'other-user';
      const ids = (await documents.get<readonly string[]>(userPath(instanceId, userId))) ?? [];
      if (ids.length >= maxDevicesPerUser) return 'full';
      documents.set(userPath(instanceId, userId), [...ids, id]);
      documents.set(devicePath(instanceId, id), { ...device, userId });
      return 'ok';
    });
  }

  async interests(instanceId: string, platform: Platform, id: string, after: string, limit: number) {
    const device = (await this.store.read<StoredDevice>(devicePath(instanceId, id)))?.value;
    if (device?.platform !== platform) return 'unknown';
    return device.interests.filter((interest) => interest > after).slice(0, limit);
  }

  setInterests(instanceId: string, platform: Platform, id: string, interests: ReadonlySet<string>) {
    return this.changeInterests(instanceId, platform, id, () => interests);
  }

  addInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    return this.changeInterests(instanceId, platform, id, (interests) => new Set([...interests, interest]));
  }

  async removeInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    const rest = (interests: readonly string[]) => new Set(interests.filter((each) => each !== interest));
    return (await this.changeInterests(instanceId, platform, id, rest)) === 'unknown' ? 'unknown' : 'ok';
  }

  removeUser(instanceId: string, userId: string): Promise<readonly RemovedDevice[]> {
    return this.store.transact(async (documents) => {
      const removed: RemovedDevice[] = [];
      for (const id of (await documents.get<readonly string[]>(userPath(instanceId, userId))) ?? []) {
        const device = await this.dropIf(documents, instanceId, id, () => true);
        if (device) removed.push(device);
      }
      return removed;
    });
  }

  /** All in one transaction, so that no device is missed that changes while a page is read. */
  inAudience(
    instanceId: string,
    target: PublishTarget,
    after: string,
    limit: number,
  ): Promise<readonly DeviceAddress[]> {
    return this.store.transact(async (documents) => {
      const found: DeviceAddress[] = [];
      for (let place: string | undefined = after; place !== undefined && found.length < limit;) {
        const ids: readonly string[] = await idsOf(documents, instanceId, target, place, limit);
        const read = await Promise.all(ids.map((id) => this.deviceOf(documents, instanceId, id)));
        found.push(...read.flatMap((device) => (device && isCombinedIn(target, device) ? [addressOf(device)] : [])));
        place = ids.length === limit ? ids.at(-1) : undefined;
      }
      return found.slice(0, limit);
    });
  }

  /** Reads them all: a database with an index on their age would not have to. */
  async latest(instanceId: string, limit: number, before?: DeviceCursor): Promise<readonly DeviceAddress[]> {
    const all = await this.store.list<StoredDevice>(folder('devices', instanceId));
    return all
      .map(({ value }) => value)
      .filter((device) => !before || byPlace(device, before) < 0)
      .toSorted((one, other) => byPlace(other, one))
      .slice(0, limit)
      .map(addressOf);
  }

  async markGone(instanceId: string, gone: readonly { readonly id: string; readonly before: number }[], now: number) {
    for (const { id, before } of gone)
      await this.store.transact(async (documents) => {
        const device = await this.deviceOf(documents, instanceId, id);
        if (device && device.registeredAt <= before && device.goneSince === undefined)
          documents.set(devicePath(instanceId, id), { ...device, goneSince: now });
      });
  }

  async unmarkGone(instanceId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids)
      await this.store.transact(async (documents) => {
        const device = await this.deviceOf(documents, instanceId, id);
        if (device) documents.set(devicePath(instanceId, id), { ...device, goneSince: undefined });
      });
  }

  async setEnvironments(instanceId: string, known: readonly KnownEnvironment[]): Promise<void> {
    for (const { id, before, environment } of known)
      await this.store.transact(async (documents) => {
        const device = await this.deviceOf(documents, instanceId, id);
        if (device && device.registeredAt <= before)
          documents.set(devicePath(instanceId, id), { ...device, environment });
      });
  }

  async removeUnregistered(instanceId: string, gone: readonly { readonly id: string; readonly before?: number }[]) {
    const removed: RemovedDevice[] = [];
    for (const { id, before = Infinity } of gone) {
      const device = await this.store.transact((documents) =>
        this.dropIf(documents, instanceId, id, ({ registeredAt }) => registeredAt <= before),
      );
      if (device) removed.push(device);
    }
    return removed;
  }

  async see(instanceId: string, platform: Platform, id: string, now: number): Promise<void> {
    await this.change(instanceId, platform, id, async (device, documents) => {
      if (now - (device.seenAt ?? -Infinity) >= seenOnceMs)
        documents.set(devicePath(instanceId, id), { ...device, seenAt: now });
      return 'ok';
    });
  }

  async removeUnseen({ before, now, after, limit }: UnseenStep) {
    const page = await this.store.list<StoredDevice>(devices, after, limit);
    const removed: RemovedDevice[] = [];
    for (const { value } of page) {
      const gone = await this.store.transact((documents) =>
        this.dropIf(documents, value.instanceId, value.id, (device) => {
          // On the first pass the device counts as seen now.
          if (device.seenAt === undefined)
            documents.set(devicePath(device.instanceId, device.id), { ...device, seenAt: now });
          return Math.max(device.seenAt ?? now, device.registeredAt) < before;
        }),
      );
      if (gone) removed.push(gone);
    }
    const last = page.length < limit ? undefined : page.at(-1);
    return last ? { removed, last: last.id.slice(devices.length) } : { removed };
  }

  private change<Outcome>(
    instanceId: string,
    platform: Platform,
    id: string,
    work: (device: StoredDevice, documents: Transaction) => Promise<Outcome>,
  ): Promise<Outcome | 'unknown'> {
    return this.store.transact(async (documents) => {
      const device = await this.deviceOf(documents, instanceId, id);
      return device?.platform === platform ? work(device, documents) : 'unknown';
    });
  }

  private changeInterests(
    instanceId: string,
    platform: Platform,
    id: string,
    changed: (interests: readonly string[]) => ReadonlySet<string>,
  ) {
    return this.change<'ok' | 'full'>(instanceId, platform, id, async (device, documents) => {
      const interests = changed(device.interests);
      if (interests.size > maxInterestsPerDevice) return 'full';
      const before = new Set(device.interests);
      for (const interest of before)
        if (!interests.has(interest)) documents.remove(interestFolder(instanceId, interest) + path(id));
      for (const interest of interests)
        if (!before.has(interest)) documents.set(interestFolder(instanceId, interest) + path(id), id);
      documents.set(devicePath(instanceId, id), { ...device, interests: [...interests].toSorted() });
      return 'ok';
    });
  }

  private deviceOf(documents: Transaction, instanceId: string, id: string): Promise<StoredDevice | undefined> {
    return documents.get<StoredDevice>(devicePath(instanceId, id));
  }

  private async dropIf(
    documents: Transaction,
    instanceId: string,
    id: string,
    isToGo: (device: StoredDevice) => boolean,
  ): Promise<RemovedDevice | undefined> {
    const device = await this.deviceOf(documents, instanceId, id);
    return device && isToGo(device) ? this.drop(documents, device) : undefined;
  }

  private async drop(documents: Transaction, device: StoredDevice): Promise<RemovedDevice> {
    const { instanceId, id, userId, interests } = device;
    documents.remove(devicePath(instanceId, id));
    documents.remove(tokenPath(device));
    for (const interest of interests) documents.remove(interestFolder(instanceId, interest) + path(id));
    if (userId === undefined) return { instanceId, id };
    const user = userPath(instanceId, userId);
    const left = ((await documents.get<readonly string[]>(user)) ?? []).filter((each) => each !== id);
    if (left.length > 0) documents.set(user, left);
    else documents.remove(user);
    return { instanceId, id, userId };
  }
}

const addressOf = (device: StoredDevice): DeviceAddress => {
  const { id, platform, token, bundleIdentifier, userId, registeredAt, goneSince, environment, vapidKey } = device;
  return {
    id,
    platform,
    token,
    registeredAt,
    ...(bundleIdentifier === undefined ? {} : { bundleIdentifier }),
    ...(userId === undefined ? {} : { userId }),
    ...(goneSince === undefined ? {} : { goneSince }),
    ...(environment === undefined ? {} : { environment }),
    ...(vapidKey === undefined ? {} : { vapidKey }),
  };
};
