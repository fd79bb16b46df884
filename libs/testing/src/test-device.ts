import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import type { Platform, Registration } from 'rookery/push-device';

/** The registration of a device, with a token like those of its platform. */
export function testDevice(platform: Platform, token: string = newToken(platform)): Registration {
  return { platform, token, metadata: {}, ...(platform === 'apns' && { bundleIdentifier: 'com.example.app' }) };
}

function newToken(platform: Platform): string {
  if (platform === 'apns') return randomBytes(32).toString('hex');
  if (platform === 'fcm') return `token:${randomUUID()}`;
  return webToken();
}

/** Base64 of the JSON of a browser's subscription, with new keys. */
function webToken(): string {
  const [p256dh, auth] = [createECDH('prime256v1').generateKeys('base64url'), randomBytes(16).toString('base64url')];
  const endpoint = `https://fcm.googleapis.com/fcm/send/${randomUUID()}`;
  return Buffer.from(JSON.stringify({ endpoint, keys: { p256dh, auth } })).toString('base64');
}
