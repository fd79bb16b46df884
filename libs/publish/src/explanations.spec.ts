import { afterEach, beforeEach, expect, it } from 'vitest';
import { FanOutWorld } from '../../../test/support/fan-out-world.js';
import { SendLater } from './delivery/push.gateway.js';
import { explanationsOf } from './explanations.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

it('names what devices wait for, until they are sent to', async () => {
  await given.register(10);
  given.gateways.fcm.answer = () => {
    throw new SendLater('ProjectQuota', 60_000);
  };
  const id = await given.publish();
  given.startWorker();
  await expect
    .poll(async () => (await given.status(id)).platforms.fcm?.explanations)
    .toEqual([
      {
        reason: 'ProjectQuota',
        devices: 10,
        meaning: expect.stringContaining('quota of the Firebase project'),
        action: expect.stringContaining('publish.fcmPerMinute'),
      },
    ]);
  given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
  given.now += 120_000;
  expect((await given.finished(id)).fcm).not.toHaveProperty('explanations');
});

it('names why devices failed, the most frequent reason first', async () => {
  await given.register(3);
  let answers = 0;
  given.gateways.fcm.answer = () =>
    (answers += 1) === 1 ? { outcome: 'unregistered' } : { outcome: 'rejected', reason: 'SENDER_ID_MISMATCH' };
  const id = await given.publish();
  given.startWorker();
  expect((await given.finished(id)).fcm?.explanations).toEqual([
    {
      reason: 'SENDER_ID_MISMATCH',
      devices: 2,
      meaning: 'The token belongs to another Firebase project.',
      action: expect.stringContaining('credentials'),
    },
    { reason: 'unregistered', devices: 1, meaning: expect.stringContaining('removed'), action: expect.anything() },
  ]);
});

it.each([
  ['apns', 'TooManyRequests', 'limits how many notifications a single device or broadcast channel gets'],
  ['apns', 'PayloadTooLarge', 'larger'],
  ['apns', 'HTTP 431', 'longer than any'],
  ['apns', 'BadExpirationDate', 'refuses the payload'],
  ['apns', 'TopicDisallowed', 'not allowed for the key'],
  ['web', 'TooManyMessages (HTTP 429: the push service limits this site)', 'users find disruptive'],
  ['web', 'HTTP 403', 'VAPID key'],
  ['web', 'HTTP 408', 'a problem of its own'],
  ['web', 'HTTP 503', 'a problem of its own'],
  ['web', 'UnsafeUrl (private address)', 'not that of a known push service'],
  ['web', 'Unreachable (ECONNREFUSED)', 'did not answer'],
  ['apns', 'Unreachable', 'did not answer'],
  ['apns', 'Unreachable (SELF_SIGNED_CERT_IN_CHAIN)', 'certificate that was presented is not trusted'],
  ['web', 'Unreachable (UNABLE_TO_VERIFY_LEAF_SIGNATURE)', 'certificate that was presented is not trusted'],
  ['fcm', 'NoAccessToken (Unreachable (CERT_HAS_EXPIRED))', 'certificate that was presented is not trusted'],
  ['apns', 'Unreachable (NoHttp2)', 'no HTTP/2'],
  ['fcm', 'NoAccessToken (Unreachable (ENOTFOUND))', 'issues access tokens did not answer'],
  ['fcm', 'NoAccessToken (Unreachable (PROXY_407))', 'proxy that HTTPS_PROXY names'],
  ['fcm', 'NoAccessToken (HTTP 503)', 'no access tokens at the moment'],
  ['apns', 'ConnectionLost', 'did not answer'],
  ['fcm', 'QUOTA_EXCEEDED', 'quota of the Firebase project'],
  ['fcm', 'RESOURCE_EXHAUSTED', 'quota of the Firebase project'],
  ['fcm', 'INTERNAL', 'a problem of its own'],
  ['fcm', 'THIRD_PARTY_AUTH_ERROR', 'APNs or web push credentials'],
  ['fcm', 'Expired', 'time to live ended'],
  ['fcm', 'A_NEW_WORD', 'does not know this reason'],
] as const)('explains %s %s', (platform, reason, meaning) => {
  const [explanation, ...others] = explanationsOf(platform, { failed: { [reason]: 7 } }, 0);
  expect([explanation?.reason, explanation?.devices, others]).toEqual([reason, 7, []]);
  expect(explanation?.meaning).toContain(meaning);
});

it.each([
  ['apns', 'APNs refuses key K: ExpiredProviderToken', 'clock of this server is wrong'],
  [
    'fcm',
    'Google gives a@b no access token: invalid_grant: Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    'clock of this server is wrong',
  ],
  ['fcm', 'Google gives a@b no access token: invalid_grant: Invalid JWT Signature.', 'refused the credentials'],
  ['apns', 'APNs refuses key K: InvalidProviderToken', 'refused the credentials'],
  ['fcm', 'Google refuses project p: HTTP 403', 'refused the credentials'],
  ['fcm', 'Instance i has no FCM credentials: give it `fcm: { serviceAccount }`', 'has no credentials'],
  ['web', 'Instance i has no VAPID keys: give it `web: { … }`', 'has no credentials'],
] as const)('tells a wrong clock, wrong credentials and missing ones apart: %s %s', (platform, fault, meaning) => {
  const [explanation] = explanationsOf(platform, { failed: { PlatformFault: 1 }, fault }, 0);
  expect(explanation?.meaning).toContain(meaning);
});
