import { expect, it } from 'vitest';
import type { PlatformStatus, PublishStatus } from 'rookery/publish';
import { outcomeOf } from './push-outcome.js';

const none = { audience: 0, sent: 0, failed: {}, retrying: 0, removedDevices: 0, delivered: 0, opened: 0 };
const outcome = (state: PublishStatus['state'], apns: Partial<PlatformStatus>, fcm: Partial<PlatformStatus> = {}) =>
  outcomeOf({
    publishId: 'pubid-1',
    state,
    createdAt: '2026-11-21T09:00:00.000Z',
    platforms: { apns: { ...none, ...apns }, fcm: { ...none, ...fcm } },
  });

it('adds up the devices of all platforms', () => {
  expect(outcome('finished', { audience: 2, sent: 2 }, { audience: 1, failed: { 'HTTP 403': 1 } })).toEqual({
    isDone: true,
    devices: 3,
    sent: 2,
    failed: 1,
    why: 'HTTP 403',
  });
});

it('is that of no device', () => {
  expect(outcome('finished', {})).toEqual({ isDone: true, devices: 0, sent: 0, failed: 0, why: null });
});

it.each([
  ['a fault of the platform', { audience: 1, retrying: 1, fault: 'Apple refuses the key' }, 'Apple refuses the key'],
  ['the most frequent failure', { audience: 3, failed: { Expired: 1, unregistered: 2 } }, 'unregistered'],
  [
    'what a retry waits for',
    { audience: 1, retrying: 1, explanations: [{ reason: 'UNAVAILABLE', devices: 1, meaning: '', action: '' }] },
    'UNAVAILABLE',
  ],
])('says why: %s', (_, part, why) => {
  expect(outcome('sending', part)).toMatchObject({ isDone: false, why });
});
