import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  type Database,
  migrate,
  openDatabase,
  TypeOrmDeviceRepository,
  TypeOrmGoneDeviceRepository,
  TypeOrmLiveActivityRepository,
} from 'rookery/typeorm';
import { rookery } from '../support/command-line.js';
import { buildServer } from '../support/server-process.js';

// Each command is a process.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'rookery-deletions-'));
const url = `sqlite:${join(folder, 'rookery.db')}`;
const [instanceId, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
let database: Database;
let ids: readonly string[];

beforeAll(async () => {
  await buildServer();
  database = await openDatabase(url);
  await migrate(database.dataSource);
  const devices = new TypeOrmDeviceRepository(database);
  const gone = new TypeOrmGoneDeviceRepository(database);
  const registered = Array.from({ length: 250 }, (_, n) =>
    devices.register(instanceId, { platform: 'fcm', token: `${n}`, metadata: {} }, 1),
  );
  ids = (await Promise.all(registered)).map(({ id }) => id).sort();
  const page = { publishId: 'pubid-1', at: 1, since: 0, sent: 0 };
  await gone.note({ instanceId, platform: 'fcm' }, { ...page, gone: ids.map((id) => ({ id, before: 1 })) });
  await gone.note({ instanceId: other, platform: 'web' }, { ...page, gone: [{ id: 'web-1', before: 1 }] });
}, 180_000);
afterAll(async () => {
  await database.dataSource.destroy();
  rmSync(folder, { recursive: true });
});

const lines = async (...args: readonly string[]) =>
  (await rookery(['deletions', '--database', url, ...args])).stdout.trim().split('\n').sort();
const count = async () => (await database.read('SELECT id FROM rookery_devices')).length;

it('lists the held devices beside a running server', async () => {
  expect(await lines()).toEqual([`${instanceId} fcm: 250 held`, `${other} web: 1 held`]);
  expect(await lines('--platform', 'web')).toEqual([`${other} web: 1 held`]);
  expect(await lines('--instance', instanceId, '--list')).toEqual(ids.map((id) => `${instanceId} ${id} pubid-1`));
  expect((await rookery(['deletions'], { DATABASE_URL: url })).stdout).toContain('250 held');
  expect(await count()).toBe(250);
});

it('releases them', async () => {
  expect(await lines('--instance', instanceId, '--release')).toEqual([`${instanceId} fcm: 250 removed`]);
  expect(await count()).toBe(0);
  expect(await lines()).toEqual([`${other} web: 1 held`]);
  expect(await lines('--instance', instanceId, '--release')).toEqual(['nothing is held']);
});

it('forgets the start token of a released device', async () => {
  const apns = { instanceId: '00000000-0000-4000-8000-000000000003', platform: 'apns' } as const;
  const registration = { platform: 'apns', token: 'aa', bundleIdentifier: 'com.example.app', metadata: {} } as const;
  const { id } = await new TypeOrmDeviceRepository(database).register(apns.instanceId, registration, 1);
  const activities = new TypeOrmLiveActivityRepository(database);
  await activities.setStartToken(apns.instanceId, id, 'a1');
  const page = { publishId: 'pubid-2', at: 1, since: 0, sent: 0, gone: [{ id, before: 1 }] };
  await new TypeOrmGoneDeviceRepository(database).note(apns, page);
  expect(await lines('--instance', apns.instanceId, '--release')).toEqual([`${apns.instanceId} apns: 1 removed`]);
  expect(await activities.startTokens(apns.instanceId, [id])).toEqual(new Map());
});

it.concurrent.each([
  [['--release'], /^rookery: --release needs --instance\nSee: rookery deletions --help\n$/],
  [['--platform', 'gcm'], /Allowed choices are apns, fcm, web/],
  [['--list', '--release', '--instance', instanceId], /'--release' cannot be used with option '--list'/],
])('prints its usage for a wrong call: %j', async (args, stderr) => {
  const answer = await rookery(['deletions', '--database', url, ...args]);
  expect(answer).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) as string });
});

it('reports a fault of the database in one line', async () => {
  expect(await rookery(['deletions', '--database', 'postgres://127.0.0.1:1/d'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^rookery: --database: connect ECONNREFUSED .*\n$/) as string,
  });
});
