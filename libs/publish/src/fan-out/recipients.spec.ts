import { expect, it } from 'vitest';
import type { DeviceAddress } from 'rookery/push-device';
import { readPage } from './recipients.js';

const of = (id: string) => ({ id, platform: id.split('-')[0] }) as DeviceAddress;
const all = ['apns-1', 'fcm-1', 'fcm-2', 'fcm-3', 'fcm-4', 'web-1'].map(of);
const recipients = {
  page: (after: string, limit: number) => all.filter(({ id }) => id > after).slice(0, limit),
  find: () => undefined,
};

it.each<[string, { after: string; to?: string; limit: number }, string[], boolean]>([
  ['full', { after: 'fcm-', limit: 2 }, ['fcm-1', 'fcm-2'], false],
  ['full at the end of the platform', { after: 'fcm-2', limit: 2 }, ['fcm-3', 'fcm-4'], false],
  ['cut by the end of the platform', { after: 'fcm-2', limit: 3 }, ['fcm-3', 'fcm-4'], true],
  ['after the last of the platform', { after: 'fcm-4', limit: 1 }, [], true],
  ['cut by the end of its range', { after: 'fcm-1', to: 'fcm-3', limit: 3 }, ['fcm-2', 'fcm-3'], true],
  ['without room', { after: 'fcm-', limit: 0 }, [], true],
])('a page that is %s', async (_, range, devices, last) => {
  expect(await readPage(recipients, 'fcm', range)).toEqual({ devices: devices.map(of), last });
});
