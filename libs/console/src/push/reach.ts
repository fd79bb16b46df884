import type { Payloads } from 'rookery/publish';
import { type PublishTarget, type DeviceRepository, type Instance, platforms } from 'rookery/push-device';
import { maxCountedDevices as maxCounted, type Reach } from '../contract/index.js';

/** Counts an audience's devices on the platforms that have a payload. */
export async function reachOf(
  instance: Instance,
  target: PublishTarget,
  payloads: Payloads,
  devices: Pick<DeviceRepository, 'inAudience'>,
): Promise<Reach> {
  const found = await devices.inAudience(instance.id, target, '', maxCounted + 1);
  const counted = found.slice(0, maxCounted);
  return {
    platforms: platforms
      .filter((platform) => payloads[platform] !== undefined)
      .map((platform) => ({
        platform,
        devices: counted.filter((device) => device.platform === platform).length,
        hasCredentials: instance[platform] !== undefined,
      })),
    isMore: found.length > maxCounted,
  };
}
