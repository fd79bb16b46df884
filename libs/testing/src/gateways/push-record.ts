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
  /** The publish's interests that the device is subscribed to. */
  readonly interests: readonly string[];
  /** Your payload for the platform. */
  readonly payload: PlatformPayload;
  /** The fake gateway's answer. */
  readonly answer: string | number;
}

/** Where the record looks up a push's target. */
export interface PushStores {
  readonly devices: DeviceRepository;
  readonly outbox: PublishOutbox;
}

/** Everything that the fake gateways received, in order. */
export class PushRecord {
  readonly pushes: Push[] = [];
  /** Set once the application has started. */
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
    const wanted = (await outbox.find(instanceId, publishId))?.publish.target.interests ?? [];
    if (wanted.length === 0) return [];
    const own = await devices.interests(instanceId, platform, id, '', maxInterestsPerDevice);
    return own === 'unknown' ? [] : wanted.filter((interest) => own.includes(interest));
  }
}
