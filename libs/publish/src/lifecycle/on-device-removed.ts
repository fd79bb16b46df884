import { listensTo } from 'rookery/common';
import { type Platform, platformOf, type RemovalReason } from 'rookery/push-device';

export const deviceRemoved = 'device_removed';

/** A device that is there no more. */
export interface DeviceRemoved {
  readonly instanceId: string;
  readonly deviceId: string;
  readonly platform: Platform;
  /** Whose it was, if anybody's. */
  readonly userId?: string;
  /**
   * `deleted` by its SDK or the host, `user-deleted` with its user, `replaced` by another device that has its token now,
   * `unregistered` as its gateway says, `unseen` for too long.
   */
  readonly reason: RemovalReason;
  /** When it was removed. */
  readonly at: Date;
}

/** What waits in the outbox. */
export interface ToldRemoval {
  readonly instance_id: string;
  readonly device_id: string;
  readonly user_id?: string;
  readonly reason: RemovalReason;
  readonly time_ms: number;
}

/**
 * Has a provider's method hear of devices that are removed, for whatever reason: each once for all processes, and again
 * when the method throws, as a webhook is tried again. It is given a {@link DeviceRemoved}.
 *
 * @param instances ids; a `*` stands for any characters
 */
export const OnDeviceRemoved = (instances = '*'): MethodDecorator => listensTo(deviceRemoved, instances);

export const deviceRemovedPayload = (json: string): DeviceRemoved => {
  const { instance_id: instanceId, device_id: deviceId, user_id: userId, reason, time_ms: time } = toldIn(json);
  // Every id begins with its platform.
  const platform = platformOf(deviceId)!;
  return { instanceId, deviceId, platform, ...(userId !== undefined && { userId }), reason, at: new Date(time) };
};

// It was written for a listener.
const toldIn = (json: string): ToldRemoval => JSON.parse(json) as ToldRemoval;
