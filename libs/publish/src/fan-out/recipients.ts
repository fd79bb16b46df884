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

/** A page of a partition, and whether it is the last. */
export interface PartitionPage {
  readonly devices: readonly DeviceAddress[];
  readonly last: boolean;
}

/**
 * Reads the next page of a platform. Ids begin with their platform and pages are in the order of ids, so the recipients
 * of a platform are contiguous.
 *
 * @param to - the last id to include; absent: the last of the platform
 */
export async function readPage(
  recipients: Recipients,
  platform: Platform,
  { after, to, limit }: { readonly after: string; readonly to?: string; readonly limit: number },
): Promise<PartitionPage> {
  const found = await recipients.page(after, limit);
  const devices = found.filter((device) => device.platform === platform && (to === undefined || device.id <= to));
  return { devices, last: devices.length < limit || devices.length === 0 };
}

/** The devices of the audience. */
export const devicesOf = (devices: DeviceRepository, publish: Publish, platform: Platform): Recipients => ({
  page: (after, limit) => devices.inAudience(publish.instanceId, publish.target, after, limit),
  find: (id) => devices.find(publish.instanceId, platform, id),
});
