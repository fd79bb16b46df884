import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { instance, otherInstance } from '../support/push-app.js';
import { useServer } from '../support/server.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-rate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'rookery.json');
// Ten at once of a device, thirty from an address, a hundred for an instance; then so many parts of a second are refused.
const devices = { writesPerSecond: { device: 1, address: 3, instance: 10 } };
writeFileSync(file, JSON.stringify({ instances: [instance, otherInstance], devices }));

const server = useServer({ CONFIG_FILE: file, TRUST_PROXY: '127.0.0.1' });

type Method = 'POST' | 'PUT' | 'DELETE';

const ask = (method: Method, path: string, payload?: object, { remoteAddress = '127.0.0.1', id = instance.id } = {}) =>
  server().inject({
    method,
    url: `/device_api/v1/instances/${id}/devices/fcm${path}`,
    remoteAddress,
    ...(payload && { payload }),
  });

async function register(id = instance.id): Promise<string> {
  const answer = await ask('POST', '', { token: crypto.randomUUID() }, { id });
  return answer.json<{ id: string }>().id;
}

/** How many of so many requests are done and how many come too fast, and the last answer. */
async function statuses(count: number, request: (n: number) => ReturnType<typeof ask>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => request(n)));
  const countOf = (...statuses: number[]) => answers.filter((each) => statuses.includes(each.statusCode)).length;
  return { done: countOf(200), tooMany: countOf(429), last: answers.at(-1) };
}

describe('changes of a device', () => {
  it.each<[string, Method, (n: number) => string, object?]>([
    ['interests, one after the other', 'POST', (n) => `/interests/${n}`],
    ['interests that go', 'DELETE', (n) => `/interests/${n}`],
    ['sets of interests', 'PUT', () => '/interests', { interests: ['a'] }],
    ['metadata', 'PUT', () => '/metadata', { sdkVersion: '1' }],
    ['tokens', 'PUT', () => '/token', { token: 'another' }],
  ])('are refused beyond the rate, in the words of the API: %s', async (_, method, path, payload) => {
    const device = await register();
    const { done, tooMany, last } = await statuses(15, (n) => ask(method, `/${device}${path(n)}`, payload));
    // One more for each second that it may have taken.
    expect(done).toBeGreaterThanOrEqual(10);
    expect(tooMany).toBeGreaterThan(0);
    expect(last?.headers['retry-after']).toBe('1');
    expect(last?.json()).toEqual({
      error: 'Rate Limited',
      description: 'Too many changes of devices in quick succession.',
    });
    expect((await ask('POST', `/${await register()}/interests/hello`)).statusCode).toBe(200);
  });

  it('count by size: a large set of interests is many changes', async () => {
    const interests = Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(150, 'x'));
    const device = await register(otherInstance.id);
    const set = () => ask('PUT', `/${device}/interests`, { interests }, { id: otherInstance.id });
    expect((await set()).statusCode).toBe(200);
    expect((await set()).statusCode).toBe(429);
  });

  it('that are too large for what is left of the rate cost nothing, and name the time after which they fit', async () => {
    const device = await register(otherInstance.id);
    const small = (n: number) => ask('POST', `/${device}/interests/${n}`, undefined, { id: otherInstance.id });
    expect(await statuses(5, small)).toMatchObject({ done: 5 });
    const interests = Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(150, 'x'));
    const large = await ask('PUT', `/${device}/interests`, { interests }, { id: otherInstance.id });
    expect(large.statusCode).toBe(429);
    expect(Number(large.headers['retry-after'])).toBeGreaterThan(1);
    expect(await statuses(5, small)).toMatchObject({ done: 5 });
  });

  it('of one address are refused beyond the rate, for any device; those of others are not', async () => {
    const at = { remoteAddress: '1.0.0.1', id: otherInstance.id };
    const { done, tooMany } = await statuses(45, (n) => ask('DELETE', `/fcm-none-${n}`, undefined, at));
    expect(done).toBeGreaterThanOrEqual(30);
    expect(tooMany).toBeGreaterThan(0);
    expect((await ask('DELETE', '/fcm-none', undefined, { ...at, remoteAddress: '1.0.0.2' })).statusCode).toBe(200);
  });

  it('of one instance are refused beyond the rate from any address', async () => {
    const { tooMany } = await statuses(250, (n) => ask('DELETE', `/fcm-none-${n}`));
    expect(tooMany).toBeGreaterThan(0);
  });
});

describe('reports of devices', () => {
  const report = (deviceId: string, { remoteAddress = '127.0.0.1', id = otherInstance.id } = {}) =>
    server().inject({
      method: 'POST',
      url: `/reporting_api/v2/instances/${id}/events`,
      remoteAddress,
      payload: { event: 'Open', publishId: 'pubid-1', deviceId, timestampSecs: 1 },
    });

  it('are refused beyond the rate of one device', async () => {
    const device = await register();
    const { done, tooMany, last } = await statuses(15, () => report(device, { id: instance.id }));
    expect(done).toBeGreaterThanOrEqual(10);
    expect(tooMany).toBeGreaterThan(0);
    expect(last?.headers['retry-after']).toBe('1');
    expect(last?.json()).toEqual({ error: 'Rate Limited', description: 'Too many reports in quick succession.' });
  });

  it('are refused beyond the rate of one address, for any device', async () => {
    const remoteAddress = '1.0.0.3';
    const { done, tooMany } = await statuses(45, (n) => report(`fcm-none-${n}`, { remoteAddress, id: instance.id }));
    expect(done).toBeGreaterThanOrEqual(30);
    expect(tooMany).toBeGreaterThan(0);
    expect((await report('fcm-none', { remoteAddress: '1.0.0.4' })).statusCode).toBe(200);
  });

  it('do not count towards the changes of devices', async () => {
    const device = await register(otherInstance.id);
    await statuses(15, () => report(device));
    const change = ask('POST', `/${device}/interests/hello`, undefined, {
      id: otherInstance.id,
      remoteAddress: '1.0.0.5',
    });
    expect((await change).statusCode).toBe(200);
  });
});
