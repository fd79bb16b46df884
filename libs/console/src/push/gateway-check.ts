import { PlatformFault, type PushGateway, SendLater } from 'rookery/publish';
import type { DeviceAddress, Instance, Platform } from 'rookery/push-device';
import type { GatewayCheck } from '../contract/index.js';

/** Devices that no gateway knows. */
const unknown = { userId: undefined, registeredAt: 0 };
const device: Readonly<Record<'apns' | 'fcm', DeviceAddress>> = {
  apns: { ...unknown, id: 'apns-check', platform: 'apns', token: '0'.repeat(64), bundleIdentifier: 'check.rookery' },
  fcm: { ...unknown, id: 'fcm-check', platform: 'fcm', token: 'check', bundleIdentifier: undefined },
};

const payloads = {
  apns: { aps: { 'content-available': 1 } },
  fcm: { data: { check: '1' } },
  web: { notification: { title: 'check' } },
};

const names = { apns: 'Apple', fcm: 'Google' };

/** Sends a notification to a device that does not exist: a gateway that only refuses the device accepts the key. */
export async function checkGateway(
  gateway: PushGateway,
  platform: Platform,
  instance: Instance,
): Promise<GatewayCheck> {
  try {
    const now = Date.now();
    const publishId = 'pubid-00000000-0000-0000-0000-000000000000';
    const prepared = await gateway.prepare({ instance, publishId, publishedAt: now, payload: payloads[platform] });
    if ('rejected' in prepared) return { isAccepted: false, says: prepared.rejected };
    if (platform === 'web') return { isAccepted: true, says: 'The key pair is valid.' };
    await prepared.send(device[platform]);
    return { isAccepted: true, says: `${names[platform]} accepts this key.` };
  } catch (error) {
    if (error instanceof PlatformFault) return { isAccepted: false, says: error.message };
    if (error instanceof SendLater)
      return { isAccepted: false, says: `There was no verdict: ${error.reason}. Try again.` };
    throw error;
  }
}
