import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Database, TypeOrmDeviceRepository } from 'rookery/typeorm';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { describeDatabases } from '../support/databases.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

beforeAll(buildServer, 180_000);

const count = 40;
const users = Array.from({ length: count }, (_, n) => `user ${n}`);

/** A device for each user, whose token is the user's name. */
async function addDevices(database: Database): Promise<void> {
  const devices = new TypeOrmDeviceRepository(database);
  for (const token of users) {
    const { id } = await devices.register(instance.id, { platform: 'fcm', token, metadata: {} }, Date.now());
    await devices.setUser(instance.id, 'fcm', id, token);
  }
}

describeDatabases('A server that is killed with notifications on their way', ({ database, url }) => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-notifications-'));
  let google: StandInFcm;
  let server: ServerProcess | undefined;
  beforeAll(async () => {
    google = await standInFcm();
    const config = {
      apps: [testApp],
      instances: [{ ...instance, fcm: google.credentials }],
      notifications: [{ app: testApp.id, instance: instance.id, pushAfterSeconds: 0 }],
      publish: { leaseMs: 1000, pollMs: 100 },
    };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
    await addDevices(database());
  });
  afterAll(async () => {
    await server?.kill();
    await google.close();
    rmSync(folder, { recursive: true });
  });
  const start = async (): Promise<void> => {
    server = await ServerProcess.start({ CONFIG_FILE: join(folder, 'rookery.json'), DATABASE_URL: url() });
  };
  const rows = (text: string) => database().read<{ readonly publish_id: string; readonly pushed_at: unknown }>(text);

  it('loses none that it has answered, and publishes none twice', async () => {
    await start();
    const accepted: string[] = [];
    const notify = async (userId: string): Promise<void> => {
      const body = { userId, event: { name: 'message', data: {} }, push: { fcm: { data: {} } } };
      // Those that are not answered may be kept or not.
      const answer = await overSocket(server!, signed('POST', '/notifications', body)).catch(() => undefined);
      if (answer?.status === 200) accepted.push(userId);
    };
    const asked = Promise.all(users.map((user) => notify(user)));
    await until(() => google.received.length >= 3, 'some are pushed');
    await server!.kill();
    await asked;
    expect(accepted.length).toBeGreaterThan(0);
    await start();
    const reached = () => new Set(google.received.map(({ token }) => token));
    await until(() => accepted.every((user) => reached().has(user)), 'all are pushed', 60_000);
    const waiting = "SELECT id AS publish_id FROM rookery_jobs WHERE queue = 'notifications'";
    await until(async () => (await rows(waiting)).length === 0, 'nothing is due', 60_000);
    const all = await rows('SELECT publish_id, pushed_at FROM rookery_notifications');
    expect(all.every(({ pushed_at }) => pushed_at !== null)).toBe(true);
    const publishes = await rows('SELECT id AS publish_id FROM rookery_publishes');
    const ids = (each: typeof all) => each.map(({ publish_id }) => publish_id).toSorted();
    expect(ids(publishes)).toEqual(ids(all));
  });
});
