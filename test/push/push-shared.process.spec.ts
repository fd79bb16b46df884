import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, migrate, openDatabase } from 'rookery/internal/typeorm';
import { addDevices } from '../support/many-devices.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

const audience = 9000;
const pageSize = 100;

describePostgres('push by three processes on one PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-shared-'));
  const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ interests: ['news'], fcm: { data: { a: 'b' } } });
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let database: Database;
  let google: StandInFcm;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    await buildServer();
    postgres = await startPostgres();
    google = await standInFcm({ delayMs: 20 });
    const publish = { pageSize, leaseMs: 3000, pollMs: 50, concurrency: { fcm: 20 } };
    const devices = { registrationsPerSecond: { address: 2, instance: 1000 } };
    const config = { instances: [{ ...instance, fcm: google.credentials }], publish, devices };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
    database = await openDatabase(postgres.url);
    await migrate(database.dataSource);
    await addDevices(database, { instanceId: instance.id, interest: 'news', count: audience });
    for (let n = 0; n < 3; n++) servers.push(await start());
  }, 180_000);
  afterAll(async () => {
    for (const server of servers) await server.kill();
    await google.close();
    await database.dataSource.destroy();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const start = () =>
    ServerProcess.start({
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: postgres.url,
      TRUST_PROXY: '127.0.0.1',
    });
  const publishes = () => `${servers[0]?.url}/publish_api/v1/instances/${instance.id}/publishes`;
  const status = async (id: string): Promise<any> => (await fetch(`${publishes()}/${id}`, { headers })).json();
  const finished = (id: string) =>
    until(async () => (await status(id)).state === 'finished', 'the publish has finished', 60_000);
  const published = async (): Promise<string> =>
    ((await (await fetch(publishes(), { method: 'POST', headers, body })).json()) as any).publishId;
  const owners = (id: string) =>
    database.read<{ owner: string }>(
      `SELECT claim_id AS owner FROM rookery_jobs WHERE queue = 'publishes' AND key = ? AND claim_id IS NOT NULL`,
      [id],
    );
  /** An owner is named by its process and its claim. */
  const atWork = async (id: string) => (await owners(id)).map(({ owner }) => owner.split('/')[0]);
  const shared = (id: string) => until(async () => new Set(await atWork(id)).size === 3, 'all three work on it');
  const tokens = () => google.received.map(({ token }) => token);

  it('counts the registrations from an address by all processes together', async () => {
    const register = async ({ url }: ServerProcess): Promise<number> => {
      const body = JSON.stringify({ token: crypto.randomUUID() });
      const path = `${url}/device_api/v1/instances/${instance.id}/devices/fcm`;
      const from = { ...headers, 'x-forwarded-for': '1.0.0.1' };
      return (await fetch(path, { method: 'POST', headers: from, body })).status;
    };
    const began = Date.now();
    const answers = await Promise.all(servers.flatMap((server) => Array.from({ length: 20 }, () => register(server))));
    const earned = Math.ceil((2 * (Date.now() - began)) / 1000);
    const kept = answers.filter((status) => status === 200).length;
    expect(answers.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(kept).toBeGreaterThanOrEqual(20);
    // Each further process adds a twentieth of the twenty that may come at once.
    expect(kept).toBeLessThanOrEqual(22 + earned);
  });

  it('is sent by all of them concurrently, one range each, and to each device once', async () => {
    const id = await published();
    await shared(id);
    expect((await atWork(id)).length).toBe(3);
    await finished(id);
    expect(new Set(tokens()).size).toBe(audience);
    expect(tokens().length).toBe(audience);
    expect((await status(id)).platforms.fcm).toMatchObject({ audience, sent: audience, failed: {}, retrying: 0 });
  }, 120_000);

  it('continues if one is killed: the others take over its range, and repeat at most its page', async () => {
    google.received.length = 0;
    const id = await published();
    await shared(id);
    const killed = servers.pop();
    await killed?.kill();
    const sent = new Set(tokens()).size;
    expect(sent).toBeLessThan(audience);
    await finished(id);
    expect(new Set(tokens()).size).toBe(audience);
    const repeated = tokens().filter((token, at, all) => all.indexOf(token) !== at);
    expect(repeated.length).toBeLessThanOrEqual(pageSize);
    expect(new Set(repeated).size, 'no device more than twice').toBe(repeated.length);
    expect((await status(id)).platforms.fcm).toMatchObject({ audience, sent: audience, failed: {}, retrying: 0 });
  }, 120_000);

  it('stops everywhere when it is cancelled', async () => {
    google.received.length = 0;
    servers.push(await start());
    const id = await published();
    await shared(id);
    const { state } = (await (await fetch(`${publishes()}/${id}`, { method: 'DELETE', headers })).json()) as {
      state: string;
    };
    expect(state).toBe('cancelled');
    await until(async () => (await status(id)).finishedAt !== undefined, 'the publish has ended');
    expect(await owners(id)).toEqual([]);
    const { fcm } = (await status(id)).platforms;
    expect(fcm.sent).toBe(tokens().length);
    expect(fcm.sent).toBeLessThan(audience);
  }, 120_000);
});
