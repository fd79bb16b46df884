import type { Awaitable, Found } from '#common';
import type { DeviceAddress, DeviceRepository, Platform } from 'rookery/push-device';
import type { Publish } from '../publish.js';

/**
 * The addresses that a partition sends to. `page` answers at most `limit` with an id greater than `after`, ascending; of
 * another platform only if none of this one follows. `find` answers an address to try again, if it still exists.
 */
export interface Recipients {
  page(after: string, limit: number): Awaitable<readonly DeviceAddress[]>;
  find(id: string): Awaitable<Found<DeviceAddress>>;
}

/** The devices of the audience. */
export const devicesOf = (devices: DeviceRepository, publish: Publish, platform: Platform): Recipients => ({
  page: (after, limit) => devices.inAudience(publish.instanceId, publish.audience, after, limit),
  find: (id) => devices.find(publish.instanceId, platform, id),
});
