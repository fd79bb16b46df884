import assert from 'node:assert/strict';
import { createECDH, ECDH } from 'node:crypto';
import { ApiError } from '#http';
import { parseWebToken, type WebSubscription } from '../../../libs/push-device/src/web-subscription.js';
import type { Target } from '../target.js';

const browser = createECDH('prime256v1');
browser.setPrivateKey(Buffer.alloc(32, 7));
const p256dh = browser.getPublicKey('base64url');
const auth = Buffer.alloc(16, 9).toString('base64url');

const tokenOf = (subscription: unknown): string => Buffer.from(JSON.stringify(subscription)).toString('base64');

/** Web push subscriptions: refused with a 4xx, or fit to encrypt for; what was read is read again as it is. */
export const subscriptions = (): Target => ({
  name: 'subscriptions',
  seeds: [
    JSON.stringify({ endpoint: 'https://push.example/a?b=c', expirationTime: null, keys: { p256dh, auth } }),
    JSON.stringify({
      endpoint: 'http://127.0.0.1/',
      keys: { p256dh: browser.getPublicKey('base64'), auth: `${auth}=` },
    }),
    JSON.stringify({ endpoint: 'https://u:p@[::1]:8/\u00e9#x', keys: { p256dh: 'BAAA', auth: 7 } }),
    '!not base64',
  ],
  run(input) {
    // A subscription stands for its base64; `!` begins any other token.
    const token = input[0] === 0x21 ? input.toString('latin1', 1) : input.toString('base64');
    let read: WebSubscription;
    try {
      read = parseWebToken(token);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return assert.ok(error.status >= 400 && error.status < 500, `status ${error.status}`);
    }
    assert.equal(new URL(read.endpoint).protocol, 'https:');
    assert.equal(read.p256dh.length, 65);
    assert.equal(read.auth.length, 16);
    ECDH.convertKey(read.p256dh, 'prime256v1');
    const keys = { p256dh: read.p256dh.toString('base64url'), auth: read.auth.toString('base64url') };
    assert.deepEqual(parseWebToken(tokenOf({ endpoint: read.endpoint, keys })), read);
  },
});
