import { createECDH } from 'node:crypto';
import { expect, it } from 'vitest';
import { settingsOf } from '#common';
import { WebCredentials } from './instance.js';
import { administeredInstance } from './instances/administered-instance.js';
import { vapidKeyName, vapidPairs } from './vapid-keys.js';

function pair() {
  const keys = createECDH('prime256v1');
  const vapidPublicKey = keys.generateKeys('base64url');
  return { vapidPublicKey, vapidPrivateKey: keys.getPrivateKey('base64url') };
}
const [current, earlier, oldest] = [pair(), pair(), pair()];
const subject = 'mailto:push@example.com';

it('lists the pairs of an instance by name, the oldest last', () => {
  const pairs = vapidPairs({ ...current, previous: [earlier, oldest] });
  expect([...pairs.values()].map(({ vapidPublicKey }) => vapidPublicKey)).toEqual(
    [current, earlier, oldest].map(({ vapidPublicKey }) => vapidPublicKey),
  );
  expect(pairs.get(vapidKeyName(earlier.vapidPublicKey))).toBe(earlier);
});

it('names a key alike in both alphabets of base64, padded or not', () => {
  const standard = Buffer.from(current.vapidPublicKey, 'base64url').toString('base64');
  expect(vapidKeyName(standard)).toBe(vapidKeyName(current.vapidPublicKey));
  expect(vapidKeyName(standard)).toHaveLength(16);
});

it('refuses an earlier pair whose keys do not match, without showing them', () => {
  const of = (previous: unknown) => () => settingsOf(WebCredentials, { ...current, subject, previous });
  const mixed = { ...earlier, vapidPublicKey: oldest.vapidPublicKey };
  expect(of([earlier, oldest])).not.toThrow();
  expect(of([earlier, mixed])).toThrow(
    /^previous\[1\]\.vapidPrivateKey must be the private key of vapidPublicKey in base64url, got string$/,
  );
  expect(of(Array.from({ length: 11 }, () => earlier))).toThrow(/^previous must contain no more than 10 elements/);
});

it('hides earlier private keys from administrators', () => {
  const settings = { id: 'i', secretKey: 's', web: { ...current, subject, previous: [earlier] } };
  const shown = administeredInstance({ settings, origin: 'database', version: 1 });
  expect(JSON.stringify(shown)).not.toContain(earlier.vapidPrivateKey);
  expect(shown).toMatchObject({ web: { previous: [{ ...earlier, vapidPrivateKey: '********' }] } });
});
