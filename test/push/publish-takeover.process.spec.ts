import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate, openDatabase } from 'rookery/internal/typeorm';
import { addDevices } from '../support/many-devices.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

const audience = 4000;
const pageSize = 200;

describePostgres('two servers on one PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-takeover-'));
  const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ interests: ['news'], fcm: { data: { a: 'b' } } });
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let google: StandInFcm;
  let servers: ServerProcess[] = [];

  beforeAll(async () => {
    await buildServer();
    postgres = await startPostgres();
    google = await standInFcm({ delayMs: 20 });
    const publish = { pageSize, leaseMs: 3000, concurrency: { fcm: 50 } };
    const config = { instances: [{ ...instance, fcm: google.credentials }], publish };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
    const database = await openDatabase(postgres.url);
    await migrate(database.dataSource);
    await addDevices(database, { instanceId: instance.id, interest: 'news', count: audience });
    await database.dataSource.destroy();
  }, 180_000);
  afterAll(async () => {
    for (const server of servers) await server.kill();
    await google.close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async () => {
    const server = await ServerProcess.start({
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: postgres.url,
    });
    servers = [...servers, server];
    return server;
  };
  const publishes = ({ url }: ServerProcess) => `${url}/publish_api/v1/instances/${instance.id}/publishes`;
  const status = async (server: ServerProcess, id: string): Promise<any> =>
    (await fetch(`${publishes(server)}/${id}`, { headers })).json();
  const finished = (server: ServerProcess, id: string) =>
    until(async () => (await status(server, id)).state === 'finished', 'the publish has finished', 60_000);
  const published = async (server: ServerProcess): Promise<string> =>
    ((await (await fetch(publishes(server), { method: 'POST', headers, body })).json()) as any).publishId;
  const sentOnce = () => new Set(google.received.map(({ token }) => token)).size;

  it('continue the publish of a killed one, and repeat at most its page', async () => {
    const [first, second] = [await start(), await start()];
    const id = await published(first);
    await until(() => google.received.length >= 1000, 'some were sent');
    await first.kill();
    await finished(second, id);
    expect(sentOnce()).toBe(audience);
    expect(google.received.length - audience).toBeLessThanOrEqual(pageSize);
    expect((await status(second, id)).platforms.fcm).toMatchObject({ audience, sent: audience, failed: {} });
  }, 120_000);

  it('take over the rest when one shuts down, and repeat nothing', async () => {
    google.received.length = 0;
    // Both run already: one that had to start first might find nothing left. The process that is asked begins.
    const [, taking] = servers as [ServerProcess, ServerProcess];
    const leaving = await start();
    const id = await published(leaving);
    await until(() => google.received.length >= 500, 'some were sent');
    expect(await leaving.stop()).toBe(0);
    expect(google.received.length).toBeLessThan(audience);
    await finished(taking, id);
    expect(sentOnce()).toBe(audience);
    expect(google.received.length).toBe(audience);
  }, 120_000);
});
