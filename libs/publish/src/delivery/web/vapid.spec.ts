import { createECDH, createPublicKey, randomBytes } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { Vapid } from './vapid.js';

const subject = 'mailto:a@example.com';

function pair(privateKey = randomBytes(32)) {
  const keys = createECDH('prime256v1');
  keys.setPrivateKey(privateKey);
  return { vapidPublicKey: keys.getPublicKey('base64url'), vapidPrivateKey: privateKey.toString('base64url'), subject };
}

function verified(header: string, vapidPublicKey: string) {
  const [, token = '', key] = /^vapid t=(.+), k=(.+)$/.exec(header) ?? [];
  const point = Buffer.from(vapidPublicKey, 'base64url');
  expect(key).toBe(point.toString('base64url'));
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  return jwtVerify(token, createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' }));
}

it.each([
  ['a usual key', pair()],
  ['a private key that begins with zeros', pair(Buffer.concat([Buffer.alloc(2), randomBytes(30)]))],
  ['a private key whose zeros were left out', pair(randomBytes(31))],
  ['padded base64', { ...pair(), padded: true }],
])('signs with %s', async (_what, { vapidPublicKey, ...rest }) => {
  const publicKey = 'padded' in rest ? `${vapidPublicKey}=` : vapidPublicKey;
  const header = await new Vapid({ vapidPublicKey: publicKey, ...rest }, Date.now).authorization('https://a.example');
  const { payload } = await verified(header, vapidPublicKey);
  expect(payload).toMatchObject({ aud: 'https://a.example', sub: subject });
});

it('signs once per origin for all concurrent callers', async () => {
  const vapid = new Vapid(pair(), Date.now);
  const [first, same, other] = await Promise.all(
    ['https://a.example', 'https://a.example', 'https://b.example'].map((origin) => vapid.authorization(origin)),
  );
  expect(first).toBe(same);
  expect(first).not.toBe(other);
});

it('keeps the latest thousand origins', async () => {
  const vapid = new Vapid(pair(), Date.now);
  const first = await vapid.authorization('https://0.example');
  const second = await vapid.authorization('https://1.example');
  for (let i = 2; i <= 1000; i++) await vapid.authorization(`https://${i}.example`);
  expect(await vapid.authorization('https://1.example')).toBe(second);
  expect(await vapid.authorization('https://0.example')).not.toBe(first);
});
