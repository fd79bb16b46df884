import { applyDecorators } from '@nestjs/common';
import { calledBy } from '#common';
import { listensTo } from '#webhooks';
import { type Platform, platformOf, type RemovalReason } from 'rookery/push-device';

export const deviceRemoved = 'device_removed';

/** The module that calls the methods. */
export const publishModule = { module: 'PublishModule', forRoot: 'forRoot()', from: 'rookery/publish' };

/** A removed device. */
export interface DeviceRemoved {
  readonly instanceId: string;
  readonly deviceId: string;
  readonly platform: Platform;
  /** Its user, if it had one. */
  readonly userId?: string;
  /**
   * `deleted` by its SDK or the host, `user-deleted` with its user, `replaced` by another device that now has its
   * token, `unregistered` according to its gateway, `unseen` for too long.
   */
  readonly reason: RemovalReason;
  /** When it was removed. */
  readonly at: Date;
}

/** The form of a removal in the outbox. */
export interface RemovalPayload {
  readonly instance_id: string;
  readonly device_id: string;
  readonly user_id?: string;
  readonly reason: RemovalReason;
  readonly time_ms: number;
}

/**
 * Calls a provider's method for every removed device, whatever the reason: once across all processes, and again if the
 * method throws, like a retried webhook. Its argument is a {@link DeviceRemoved}.
 *
 * @param instances ids; a `*` matches any characters
 */
export const OnDeviceRemoved = (instances = '*'): MethodDecorator =>
  applyDecorators(listensTo(deviceRemoved, instances), calledBy('OnDeviceRemoved', publishModule));

export const deviceRemovedPayload = (json: string): DeviceRemoved => {
  const { instance_id: instanceId, device_id: deviceId, user_id: userId, reason, time_ms: time } = payloadOf(json);
  // Every id begins with its platform.
  const platform = platformOf(deviceId)!;
  return { instanceId, deviceId, platform, ...(userId !== undefined && { userId }), reason, at: new Date(time) };
};

// This module wrote it for a listener.
const payloadOf = (json: string): RemovalPayload => JSON.parse(json) as RemovalPayload;
