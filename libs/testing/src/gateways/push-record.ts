import { type DeviceAddress, DeviceRepository, maxInterestsPerDevice, type Platform } from 'rookery/push-device';
import { type Notification, type PlatformPayload, PublishOutbox } from 'rookery/publish';

/** A notification that was sent to a device. */
export interface Push {
  readonly platform: Platform;
  readonly instanceId: string;
  readonly publishId: string;
  readonly deviceId: string;
  readonly token: string;
  /** The device's user. */
  readonly user?: string;
  /** The interests of the publish that the device has. */
  readonly interests: readonly string[];
  /** The customer's object for the platform. */
  readonly payload: PlatformPayload;
  /** What the fake gateway answered. */
  readonly answer: string | number;
}

/** Where a record looks up the target of a push. */
export interface PushStores {
  readonly devices: DeviceRepository;
  readonly outbox: PublishOutbox;
}

/** All that the fake gateways were sent, in order. */
export class PushRecord {
  readonly pushes: Push[] = [];
  /** Known once the application stands. */
  stores: PushStores | undefined;

  async add({ instance, publishId, payload }: Notification, device: DeviceAddress, answer: string | number) {
    const { id: deviceId, platform, token, userId: user } = device;
    const interests = await this.interestsOf(instance.id, publishId, device);
    const instanceId = instance.id;
    this.pushes.push({ platform, instanceId, publishId, deviceId, token, user, interests, payload, answer });
  }

  private async interestsOf(instanceId: string, publishId: string, { platform, id }: DeviceAddress) {
    if (!this.stores) return [];
    const { devices, outbox } = this.stores;
    const wanted = (await outbox.find(instanceId, publishId))?.publish.audience.interests ?? [];
    if (wanted.length === 0) return [];
    const own = await devices.interests(instanceId, platform, id, '', maxInterestsPerDevice);
    return own === 'unknown' ? [] : wanted.filter((interest) => own.includes(interest));
  }
}
