import { createECDH } from 'node:crypto';
import { expect, it } from 'vitest';
import { ApiError } from '#http';
import { parseWebToken } from 'rookery/internal/push-device';

const point = createECDH('prime256v1').generateKeys();
const auth = Buffer.alloc(16, 1);
const subscription = {
  endpoint: 'https://push.example/send/1?a=b',
  expirationTime: null,
  keys: { p256dh: point.toString('base64url'), auth: auth.toString('base64url') },
};
const base64 = (value: unknown, encoding: 'base64' | 'base64url' = 'base64') =>
  Buffer.from(JSON.stringify(value)).toString(encoding);

it("reads the web SDK's token of a subscription", () => {
  expect(parseWebToken(base64(subscription))).toEqual({ endpoint: subscription.endpoint, p256dh: point, auth });
});

it.each([
  ['the alphabet for URLs', base64(subscription, 'base64url')],
  [
    'padded keys',
    base64({ ...subscription, keys: { p256dh: point.toString('base64'), auth: auth.toString('base64') } }),
  ],
  ['unknown fields', base64({ ...subscription, spare: 1, keys: { ...subscription.keys, spare: 1 } })],
])('accepts %s', (_, token) => {
  expect(parseWebToken(token)).toMatchObject({ p256dh: point, auth });
});

it('accepts an endpoint without TLS only if allowed', () => {
  const token = base64({ ...subscription, endpoint: 'http://127.0.0.1:1/' });
  expect(() => parseWebToken(token)).toThrow(ApiError);
  expect(parseWebToken(token, { allowHttp: true }).endpoint).toBe('http://127.0.0.1:1/');
});

const flipped = Buffer.from(point);
flipped[40] = flipped[40]! ^ 1;

it.each([
  ['its endpoint', { endpoint: 'javascript:alert(1)' }, '`endpoint` must be an https URL'],
  [
    'an endpoint that the browser has given up',
    { endpoint: 'https://permanently-removed.invalid/fcm/send/1' },
    '`endpoint` is in the domain `.invalid`: the subscription has ended',
  ],
  [
    'an endpoint that is too long for a request',
    { endpoint: `https://push.example/${'x'.repeat(2048)}` },
    '`endpoint` must have at most 2048 characters',
  ],
  [
    'an endpoint that is too long once it is encoded',
    { endpoint: `https://push.example/${'漢'.repeat(300)}` },
    '`endpoint` must have at most 2048 characters',
  ],
  ['its keys', { keys: [] }, 'the token is not the base64 of its JSON'],
  [
    'a compressed point',
    {
      keys: {
        ...subscription.keys,
        p256dh: Buffer.concat([Buffer.from([2]), point.subarray(1, 33)]).toString('base64'),
      },
    },
    '`keys.p256dh` must be 65 bytes',
  ],
  [
    'a point beside the curve',
    { keys: { ...subscription.keys, p256dh: flipped.toString('base64url') } },
    '`keys.p256dh` is not a point of P-256',
  ],
  ['no secret', { keys: { p256dh: subscription.keys.p256dh } }, '`keys.auth` must be 16 bytes'],
])('refuses a subscription for %s', (_, changes, reason) => {
  const refused = `Invalid web push subscription: ${reason}.`;
  expect(() => parseWebToken(base64({ ...subscription, ...changes }))).toThrow(
    expect.objectContaining({ message: refused, error: 'Bad request' }),
  );
});
