import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate, openDatabase } from 'rookery/internal/typeorm';
import { addDevices } from '../support/many-devices.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { fcmError, type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

const audience = 1000;
const pageSize = 50;

let folder: string;
let google: StandInFcm;
let server: ServerProcess | undefined;

beforeAll(buildServer, 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-crash-'));
  // Slow enough that a server can be stopped in the middle of the audience.
  google = await standInFcm({ delayMs: 60 });
  // The successor of a killed server waits for its lease to end.
  const config = { instances: [{ ...instance, fcm: google.credentials }], publish: { leaseMs: 2000, pageSize } };
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
  const database = await openDatabase(databaseUrl());
  await migrate(database.dataSource);
  await addDevices(database, { instanceId: instance.id, interest: 'news', count: audience });
  await database.dataSource.destroy();
});
afterEach(async () => {
  await server?.kill();
  await google.close();
  rmSync(folder, { recursive: true });
});

const databaseUrl = () => `sqlite:${join(folder, 'rookery.db')}`;

async function start(): Promise<void> {
  server = await ServerProcess.start({ CONFIG_FILE: join(folder, 'rookery.json'), DATABASE_URL: databaseUrl() });
}

const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
const publishes = () => `${server?.url}/publish_api/v1/instances/${instance.id}/publishes`;

async function publish(): Promise<string> {
  const body = JSON.stringify({ interests: ['news'], fcm: { data: { a: 'b' } } });
  const { publishId } = (await (await fetch(publishes(), { method: 'POST', headers, body })).json()) as any;
  return publishId;
}
const status = async (id: string): Promise<any> => (await fetch(`${publishes()}/${id}`, { headers })).json();
const finished = (id: string) =>
  until(async () => (await status(id)).state === 'finished', 'the publish has finished', 60_000);
const sent = (count: number) => until(() => google.received.length >= count, `${count} messages were sent`, 60_000);

describe(`a publish to ${audience} devices`, () => {
  it('reaches every device if the server is killed, and repeats at most a page each time', async () => {
    await start();
    const id = await publish();
    const kills = [170, 600];
    for (const count of kills) {
      await sent(count);
      await server?.kill();
      await start();
    }
    await finished(id);
    const tokens = google.received.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(audience);
    expect(tokens.length - audience).toBeLessThanOrEqual(kills.length * pageSize);
    // What the last page of a killed process did is not known, so it is counted when it is repeated.
    expect((await status(id)).platforms.fcm).toMatchObject({ audience, sent: audience, failed: {} });
  }, 180_000);

  it('remembers the devices to retry after a kill', async () => {
    const busy = Array.from({ length: 40 }, (_, index) => `news ${index * 25}`);
    for (const token of busy) google.answer(token, fcmError(503, 'UNAVAILABLE'), { status: 200 });
    await start();
    const id = await publish();
    await sent(300);
    await server?.kill();
    await start();
    await finished(id);
    const tokens = google.received.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(audience);
    for (const token of busy) expect(tokens.filter((one) => one === token).length).toBeGreaterThanOrEqual(2);
    expect((await status(id)).platforms.fcm).toMatchObject({ audience, sent: audience, failed: {}, retrying: 0 });
  }, 120_000);

  it('ends in time while Google hangs, and the next process reaches the rest', async () => {
    await start();
    const id = await publish();
    await sent(100);
    google.answerAll({ silence: true });
    const before = google.received.length;
    const asked = performance.now();
    expect(await server?.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(20_000);
    google.answerAll();
    await start();
    await finished(id);
    const tokens = google.received.map(({ token }) => token);
    expect(before).toBeLessThan(audience);
    expect(new Set(tokens).size).toBe(audience);
    expect((await status(id)).platforms.fcm).toMatchObject({ audience, sent: audience, failed: {}, retrying: 0 });
  }, 120_000);

  it('continues after an orderly restart without repeats', async () => {
    await start();
    const id = await publish();
    await sent(230);
    expect(await server?.stop()).toBe(0);
    expect(google.received.length).toBeLessThan(audience);
    await start();
    await finished(id);
    const tokens = google.received.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(audience);
    expect(tokens.length).toBe(audience);
  }, 120_000);
});
