import { Injectable, Logger } from '@nestjs/common';
import type { PublishTarget, Device, DeviceAddress } from './device.js';
import { DeviceRemovals, type RemovalReason } from './device-removals.js';
import { DeviceRepository, maxDevicesPerUser, maxInterestsPerDevice, type Registration } from './device.repository.js';
import { InstanceRepository } from './instances/instance.repository.js';
import type { Platform } from './platform.js';
import { refusals } from './push-device.errors.js';
import { PushDeviceSettings } from './push-device.options.js';
import { isUserId } from './user-id.js';
import { vapidKeyName } from './vapid-keys.js';
import { parseWebToken } from './web-subscription.js';

/** A device as a path names it. */
export interface DevicePath {
  readonly instanceId: string;
  readonly platform: Platform;
  readonly id: string;
}

/** Keeps the push-to-start token of a device of Apple. */
type KeepStartToken = (instanceId: string, deviceId: string, token: string) => Promise<void>;

/** The device API without HTTP. Refusals are thrown as an `ApiError` with the status and texts of the API. */
@Injectable()
export class DevicesService {
  private readonly logger = new Logger('Devices');
  private readonly checks: ((registration: Registration) => string | undefined)[] = [];
  private keepStartToken: KeepStartToken = () => this.dropStartToken();
  private hasDroppedStartToken = false;

  constructor(
    private readonly devices: DeviceRepository,
    private readonly settings: PushDeviceSettings,
    private readonly removals: DeviceRemovals,
    private readonly instances: InstanceRepository,
  ) {}

  /** Adds a check of registrations, which answers why one is refused: a browser's endpoint, as the gateway knows. */
  refuseBy(check: (registration: Registration) => string | undefined): void {
    this.checks.push(check);
  }

  /** Gives start tokens to the feature that uses them. Without one they are dropped, with a warning. */
  keepStartTokensBy(keep: KeepStartToken): void {
    this.keepStartToken = keep;
  }

  /**
   * A browser subscribes with the instance's current VAPID key, whose name is kept with it.
   *
   * @param startToken - Apple's push-to-start token of the device; without it, an earlier one stays
   */
  async register(instanceId: string, registration: Registration, startToken?: string) {
    const { platform, token } = registration;
    if (platform === 'web') parseWebToken(token, { allowHttp: this.settings.allowPrivateNetwork });
    for (const check of this.checks) {
      const reason = check(registration);
      if (reason !== undefined) throw refusals.invalidSubscription(reason);
    }
    const subscribed = platform === 'web' ? { vapidKey: await this.vapidKeyOf(instanceId) } : {};
    const registered = await this.devices.register(instanceId, { ...registration, ...subscribed }, Date.now());
    if (startToken !== undefined) await this.keepStartToken(instanceId, registered.id, startToken);
    return registered;
  }

  async find({ instanceId, platform, id }: DevicePath): Promise<Device> {
    const device = await this.devices.find(instanceId, platform, id);
    if (!device) throw refusals.deviceNotFound();
    return device;
  }

  /** Removing an unknown device succeeds, since an SDK would retry forever (beams-wire §0.6). */
  async remove({ instanceId, platform, id }: DevicePath): Promise<void> {
    const known = await this.devices.find(instanceId, platform, id);
    const removed = await this.removing(known ? [known] : [], 'deleted', async () =>
      this.devices.remove(instanceId, platform, id),
    );
    if (removed) await this.removals.notify([removed], 'deleted');
  }

  async setMetadata(device: DevicePath, metadata: Readonly<Record<string, string>>): Promise<void> {
    const { instanceId, platform, id } = device;
    accept(await this.devices.setMetadata(instanceId, platform, id, metadata));
    await this.see(device);
  }

  async setToken({ instanceId, platform, id }: DevicePath, token: string): Promise<void> {
    const outcome = await this.devices.setToken(instanceId, platform, id, token, Date.now());
    if (typeof outcome === 'object') await this.removals.notify([outcome], 'replaced');
    else accept(outcome);
  }

  async setUser(device: DevicePath, userId: string): Promise<void> {
    const { instanceId, platform, id } = device;
    const outcome = await this.devices.setUser(instanceId, platform, id, userId);
    if (outcome === 'other-user') throw refusals.otherUser();
    if (outcome === 'full') throw refusals.tooManyDevices();
    accept(outcome);
    await this.see(device);
  }

  /** At most `limit` interests after the given one, and whether there are more. */
  async interests(
    device: DevicePath,
    after: string,
    limit: number,
  ): Promise<{ readonly interests: readonly string[]; readonly hasMore: boolean }> {
    const { instanceId, platform, id } = device;
    const found = await this.devices.interests(instanceId, platform, id, after, limit + 1);
    if (found === 'unknown') throw refusals.deviceNotFound();
    await this.see(device);
    return { interests: found.slice(0, limit), hasMore: found.length > limit };
  }

  /**
   * At most `limit` devices of an audience with an id greater than the given one, in ascending order, and whether more
   * follow.
   */
  async inAudience(
    instanceId: string,
    target: PublishTarget,
    after: string,
    limit: number,
  ): Promise<{ readonly devices: readonly DeviceAddress[]; readonly hasMore: boolean }> {
    // No token names such a user, and stores cannot keep its bytes.
    if (target.users?.every(isUserId) === false) return { devices: [], hasMore: false };
    const found = await this.devices.inAudience(instanceId, target, after, limit + 1);
    return { devices: found.slice(0, limit), hasMore: found.length > limit };
  }

  async setInterests(device: DevicePath, interests: ReadonlySet<string>): Promise<void> {
    const { instanceId, platform, id } = device;
    if (interests.size > maxInterestsPerDevice) throw refusals.tooManyInterests();
    accept(await this.devices.setInterests(instanceId, platform, id, interests));
    await this.see(device);
  }

  async addInterest(device: DevicePath, interest: string): Promise<void> {
    const { instanceId, platform, id } = device;
    accept(await this.devices.addInterest(instanceId, platform, id, interest));
    await this.see(device);
  }

  async removeInterest(device: DevicePath, interest: string): Promise<void> {
    const { instanceId, platform, id } = device;
    accept(await this.devices.removeInterest(instanceId, platform, id, interest));
    await this.see(device);
  }

  /** Marks the device as seen, if devices expire. */
  async see({ instanceId, platform, id }: DevicePath): Promise<void> {
    if (this.settings.expireUnseenAfterDays !== undefined) await this.devices.see(instanceId, platform, id, Date.now());
  }

  /** Warns once. */
  private dropStartToken(): Promise<void> {
    if (!this.hasDroppedStartToken) {
      this.hasDroppedStartToken = true;
      this.logger.warn(
        'Start tokens of Apple devices are dropped, because PublishModule keeps them: add PublishModule.forRoot() to the ' +
          'imports, with worker: false if this process sends nothing',
      );
    }
    return Promise.resolve();
  }

  private async vapidKeyOf(instanceId: string): Promise<string | undefined> {
    const instance = await this.instances.find(instanceId);
    return instance?.web && vapidKeyName(instance.web.vapidPublicKey);
  }

  /** Removes the user's devices and all their data. */
  async removeUser(instanceId: string, userId: string): Promise<void> {
    // No token names such a user, and stores cannot keep its bytes.
    if (!isUserId(userId)) return;
    // A step that fails may leave some of them.
    for (let isMore = true; isMore;) {
      const known = await this.devices.inAudience(instanceId, { users: [userId] }, '', maxDevicesPerUser);
      const removed = await this.removing(
        known.map((device) => ({ ...device, instanceId, userId })),
        'user-deleted',
        async () => this.devices.removeUser(instanceId, userId),
      );
      await this.removals.notify(removed, 'user-deleted');
      isMore = removed.length > 0;
    }
  }

  /** If a removal fails, its answer may have been lost: of the devices that were there, those that are gone are reported. */
  private async removing<Removed>(
    known: readonly Pick<Device, 'instanceId' | 'platform' | 'id' | 'userId'>[],
    reason: RemovalReason,
    remove: () => Promise<Removed>,
  ): Promise<Removed> {
    try {
      return await remove();
    } catch (error) {
      const platforms = new Map(known.map(({ id, platform }) => [id, platform]));
      const devices = known.map(({ instanceId, id, userId }) => ({ instanceId, id, userId }));
      await this.removals.notifyOfGone(
        devices,
        reason,
        async ({ instanceId, id }) => !(await this.devices.find(instanceId, platforms.get(id)!, id)),
      );
      throw error;
    }
  }
}

function accept(outcome: 'ok' | 'unknown' | 'full'): void {
  if (outcome === 'unknown') throw refusals.deviceNotFound();
  if (outcome === 'full') throw refusals.tooManyInterests();
}
