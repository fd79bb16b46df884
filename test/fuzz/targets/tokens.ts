import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { ApiError } from '#http';
import { verifyUserToken } from '../../../libs/push-device/src/user-token.js';
import { instance } from '../instance.js';
import type { Target } from '../target.js';

const nowMs = 1_800_000_000_000;
const now = nowMs / 1000;
const hmac = (text: string): string => createHmac('sha256', instance.secretKey).update(text).digest('base64url');

/** Three lines are signed here: header, claims, and what stands for the signature. Any other text is a token. */
function tokenOf(input: Buffer): string {
  const [header, claims, ...rest] = input.toString().split('\n');
  if (claims === undefined || rest.length === 0) return input.toString('latin1');
  const signed = [header!, claims].map((part) => Buffer.from(part).toString('base64url')).join('.');
  return `${signed}.${rest.join('\n').replace('SIGNED', () => hmac(signed))}`;
}

/** With or without a byte order mark, which readers of JSON may skip (RFC 8259 § 8.1). */
const jsonOf = (part: string): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(Buffer.from(part, 'base64url'))) as Record<string, unknown>;

/** Beams tokens: accepted only when signed with HS256 and in time, and refused with a 4xx. */
export const tokens = (): Target => {
  const host = `${instance.id}.pushnotifications.pusher.com`;
  const claims = { sub: 'alice', iss: `https://${host}`, iat: now, nbf: now, exp: now + 3600 };
  return {
    name: 'tokens',
    seeds: [
      `{"alg":"HS256","typ":"JWT"}\n${JSON.stringify(claims)}\nSIGNED`,
      `{"alg":"HS256","crit":["b64"],"b64":false}\n{"sub":1,"iss":"${host}","exp":"x"}\nSIGNED`,
      `{"alg":"none"}\n{"sub":"bob","exp":1}\n`,
      `{"alg":"HS512","kid":"a"}\n{"exp":${now},"iat":${now + 100}}\nSIGNED`,
      'eyJhbGciOiJIUzI1NiJ9.e30.x',
    ],
    batch: 500,
    // A signature is checked in another thread.
    atOnce: 50,
    async run(input) {
      const token = tokenOf(input);
      let userId: string;
      try {
        userId = await verifyUserToken(token, instance, nowMs);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        assert.ok(error.status >= 400 && error.status < 500, `status ${error.status}`);
        return;
      }
      const [header = '', payload = '', signature] = token.split('.');
      assert.equal(Buffer.from(signature ?? '', 'base64url').toString('base64url'), hmac(`${header}.${payload}`));
      const said = jsonOf(payload);
      assert.equal(jsonOf(header)['alg'], 'HS256');
      assert.equal(userId, said['sub']);
      assert.ok(Number(said['exp']) >= now - 60 && String(said['iss']).toLowerCase().endsWith(host));
    },
  };
};
