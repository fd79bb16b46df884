import { expect, it } from 'vitest';
import { FetchFailed, type SafeFetch } from '#common';
import { googlePem } from '../../../../../test/support/private-keys.js';
import { SendLater } from '../push.gateway.js';
import { AccessToken } from './access-token.js';

const account = { project_id: 'shop', client_email: 'rookery@shop.example', private_key: googlePem() };

it('keeps the reason of the last failure while it asks Google for nothing', async () => {
  const request = async () => ({ status: 503, headers: {}, body: '' });
  const token = new AccessToken(account, { request } as unknown as SafeFetch, () => 1_700_000_000_000);
  for (let tries = 0; tries < 2; tries += 1)
    await expect(token.current()).rejects.toMatchObject({ reason: 'NoAccessToken (HTTP 503)' });
});

it('says that the address of tokens is the one that cannot be reached, also to those that come later', async () => {
  const request = async () => {
    throw new FetchFailed('network', 'no such host', 'ENOTFOUND');
  };
  const token = new AccessToken(account, { request } as unknown as SafeFetch, () => 1_700_000_000_000);
  for (let tries = 0; tries < 2; tries += 1)
    await expect(token.current()).rejects.toMatchObject({ reason: 'NoAccessToken (Unreachable (ENOTFOUND))' });
});

it('asks Google less and less often while it fails, and as often as at first once it has answered', async () => {
  let now = 1_700_000_000_000;
  let status = 200;
  let asked = 0;
  const request = async () => {
    asked += 1;
    return { status, headers: {}, body: '{"access_token":"one","expires_in":3600}' };
  };
  const token = new AccessToken(account, { request } as unknown as SafeFetch, () => now);
  /** For how long Google is not asked after a failure. */
  const restMs = async (): Promise<number> => {
    await expect(token.current()).rejects.toThrow(SendLater);
    const failed: unknown = await Promise.resolve(token.current()).catch((error: unknown) => error);
    return failed instanceof SendLater ? failed.retryAfterMs! : 0;
  };
  for (let round = 1; round <= 2; round++) {
    status = 503;
    for (const expected of [1000, 2000, 4000]) {
      expect(await restMs()).toBe(expected);
      now += expected;
    }
    status = 200;
    expect(await token.current()).toBe('Bearer one');
    expect(asked).toBe(4 * round);
    now += 3600 * 1000;
  }
});
