import { expect, it } from 'vitest';
import { isDeviceId, newDeviceId, platforms } from 'rookery/push-device';

it.each(platforms)('makes valid ids of %s', (platform) => {
  expect(newDeviceId(platform)).not.toBe(newDeviceId(platform));
  expect(isDeviceId(platform, newDeviceId(platform))).toBe(true);
});

it.each([
  '',
  'fcm',
  'fcm-',
  'web-x',
  'apns-x',
  'FCM-x',
  'fcm-x y',
  'fcm-ü',
  'fcm-x/y',
  'fcm-\0',
  `fcm-${'x'.repeat(97)}`,
])('rejects %j as the id of an fcm device', (id) => expect(isDeviceId('fcm', id)).toBe(false));
