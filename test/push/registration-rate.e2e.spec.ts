import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { instance, otherInstance } from '../support/push-app.js';
import { useServer } from '../support/server.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-rate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'rookery.json');
// One a second, and ten at once; two hundred at once for an instance.
const devices = { registrationsPerSecond: { address: 1, instance: 20 } };
writeFileSync(file, JSON.stringify({ instances: [instance, otherInstance], devices }));

const server = useServer({ CONFIG_FILE: file, TRUST_PROXY: '127.0.0.1' });

const registration = (remoteAddress: string, { id } = instance, headers = {}) =>
  server().inject({
    method: 'POST',
    url: `/device_api/v1/instances/${id}/devices/fcm`,
    payload: { token: crypto.randomUUID() },
    remoteAddress,
    headers,
  });

/** The statuses of so many registrations, and how many there are of each. */
async function statuses(count: number, register: () => ReturnType<typeof registration>) {
  const answers = await Promise.all(Array.from({ length: count }, register));
  const countOf = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
  return { kept: countOf(200), tooMany: countOf(429), last: answers.at(-1) };
}

describe('registrations', () => {
  it('from one address are refused beyond the rate, in the words of the API', async () => {
    const { kept, tooMany, last } = await statuses(15, () => registration('1.0.0.1'));
    // One more for each second that it may have taken.
    expect(kept).toBeGreaterThanOrEqual(10);
    expect(tooMany).toBeGreaterThan(0);
    expect(last?.statusCode).toBe(429);
    expect(last?.headers['retry-after']).toBe('1');
    expect(last?.json()).toEqual({ error: 'Rate Limited', description: 'Too many registrations in quick succession.' });
  });

  it('from other addresses are accepted meanwhile', async () => {
    expect((await registration('1.0.0.2')).statusCode).toBe(200);
  });

  it('from a network of IPv6 count together', async () => {
    let last = 0;
    const { tooMany } = await statuses(15, () => registration(`2a00:1450:4001:82b::${(last += 1)}`));
    expect(tooMany).toBeGreaterThan(0);
  });

  it('from the networks of one /48 count together, at ten times the rate', async () => {
    let network = 0;
    const { kept, tooMany } = await statuses(150, () => registration(`2a00:1450:4002:${(network += 1)}::1`));
    expect(kept).toBeGreaterThanOrEqual(100);
    expect(tooMany).toBeGreaterThan(0);
    expect((await registration('2a00:1450:4003::1')).statusCode).toBe(200);
  });

  it('from behind a trusted proxy count for the client that it names', async () => {
    const client = { 'x-forwarded-for': '1.0.0.3' };
    expect((await statuses(15, () => registration('127.0.0.1', instance, client))).tooMany).toBeGreaterThan(0);
    expect((await registration('127.0.0.1', instance, { 'x-forwarded-for': '1.0.0.4' })).statusCode).toBe(200);
  });

  it('count for the client whichever port the proxy adds, and for the proxy if it names no address', async () => {
    let port = 1024;
    const from = (forwarded: string) => registration('127.0.0.1', instance, { 'x-forwarded-for': forwarded });
    expect((await statuses(15, () => from(`1.0.0.5:${(port += 1)}`))).tooMany).toBeGreaterThan(0);
    expect((await statuses(15, () => from(`[2a00:1450:4001:82c::1]:${(port += 1)}`))).tooMany).toBeGreaterThan(0);
    // A proxy at a private address is not counted.
    expect((await statuses(15, () => from(`unknown-${(port += 1)}`))).kept).toBe(15);
  });

  it('count for their address before their bodies are parsed: those that are refused, too', async () => {
    const remoteAddress = '1.0.0.6';
    const url = `/device_api/v1/instances/${instance.id}/devices/fcm`;
    const sent = { method: 'POST', url, remoteAddress, headers: { 'content-type': 'application/json' } } as const;
    const { tooMany } = await statuses(15, () => server().inject({ ...sent, payload: '{"token":' }));
    expect(tooMany).toBeGreaterThan(0);
    expect((await registration(remoteAddress)).statusCode).toBe(429);
  });

  it('of one instance are refused beyond the rate from any address; those of another are not', async () => {
    expect((await statuses(250, () => registration('127.0.0.1'))).tooMany).toBeGreaterThan(0);
    expect((await statuses(50, () => registration('127.0.0.1', otherInstance))).kept).toBe(50);
  });
});
