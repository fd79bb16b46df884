import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { PlatformFault } from '../push.gateway.js';
import { ProviderToken } from './provider-token.js';

const minutes = 60_000;
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const credentials = { key: String(key), keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' };

function tokenAt(start: number) {
  const clock = { now: start };
  return { clock, token: new ProviderToken(credentials, () => clock.now) };
}
const issuedAt = (bearer: string) => Number(decodeJwt(bearer.replace('bearer ', '')).iat) * 1000;

it('is signed once for all concurrent callers', async () => {
  const { token } = tokenAt(0);
  const [first, second] = await Promise.all([token.current(), token.current()]);
  expect(first).toBe(second);
});

it('is renewed between 20 and 60 minutes', async () => {
  const { clock, token } = tokenAt(0);
  const first = await token.current();
  expect(issuedAt(first)).toBe(0);
  clock.now = 49 * minutes;
  expect(await token.current()).toBe(first);
  clock.now = 50 * minutes;
  expect(issuedAt(await token.current())).toBe(50 * minutes);
});

it('is never older than an hour nor renewed twice within 20 minutes', async () => {
  const { clock, token } = tokenAt(0);
  const renewedAt = new Map<string, number>();
  for (let i = 0; i < 500; i++) {
    clock.now += ((i * 7919) % 600) * 1000;
    const current = await token.current();
    if (!renewedAt.has(current)) renewedAt.set(current, clock.now);
    expect(clock.now - issuedAt(current)).toBeLessThan(60 * minutes);
  }
  const times = [...renewedAt.values()];
  expect(times.length).toBeGreaterThan(10);
  const ages = times.slice(1).map((time, n) => time - times[n]!);
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(20 * minutes);
});

it('is renewed once if Apple reports it as expired, however many sends get that answer', async () => {
  const { clock, token } = tokenAt(0);
  const refused = await token.current();
  clock.now = 5 * minutes;
  const renewed = await Promise.all([token.renewed(refused), token.renewed(refused), token.renewed(refused)]);
  expect(new Set(renewed).size).toBe(1);
  expect(issuedAt(renewed[0]!)).toBe(5 * minutes);
});

it('is not renewed early twice within 20 minutes', async () => {
  const { clock, token } = tokenAt(0);
  const renewed = await token.renewed(await token.current());
  clock.now = 19 * minutes;
  expect(await token.renewed(renewed!)).toBeUndefined();
  clock.now = 20 * minutes;
  expect(issuedAt((await token.renewed(renewed!))!)).toBe(20 * minutes);
});

it('is not renewed again for a late refusal if a newer one exists', async () => {
  const { clock, token } = tokenAt(0);
  const old = await token.current();
  clock.now = 50 * minutes;
  const current = await token.current();
  expect(await token.renewed(old)).toBe(current);
});

it('cannot be made from an invalid key: the error names the instance and not the key', async () => {
  const secret = 'c2VjcmV0LXNlY3JldA==';
  const token = new ProviderToken(
    { ...credentials, key: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` },
    Date.now,
  );
  const fault = await token.current().catch((error: Error) => error);
  expect(fault).toBeInstanceOf(PlatformFault);
  expect(fault).toMatchObject({ message: 'The APNs key ABC123DEFG is not the text of an Apple .p8 file' });
  expect(String((fault as Error).stack)).not.toContain(secret);
});
