import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Database,
  migrate,
  openDatabase,
  TypeOrmDeviceRepository,
  TypeOrmGoneDeviceRepository,
} from 'rookery/typeorm';
import packageJson from '../../package.json' with { type: 'json' };
import { buildServer } from '../support/server-process.js';

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

const command = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [packageJson.bin['rookery-deletions'], ...args], {
    env: { PATH: process.env['PATH'], ...environment },
  });
const lines = async (...args: readonly string[]) => (await command([url, ...args])).stdout.trim().split('\n').sort();
const count = async () => (await database.read('SELECT id FROM rookery_devices')).length;

it('says what is held, and names the devices, beside a running server', async () => {
  expect(await lines()).toEqual([`${instanceId} fcm: 250 held`, `${other} web: 1 held`]);
  expect(await lines('--platform', 'web')).toEqual([`${other} web: 1 held`]);
  expect(await lines('--instance', instanceId, '--list')).toEqual(ids.map((id) => `${instanceId} ${id} pubid-1`));
  expect((await command([], { DATABASE_URL: url })).stdout).toContain('250 held');
  expect(await count()).toBe(250);
});

it('lets them through', async () => {
  expect(await lines('--instance', instanceId, '--release')).toEqual([`${instanceId} fcm: 250 removed`]);
  expect(await count()).toBe(0);
  expect(await lines()).toEqual([`${other} web: 1 held`]);
  expect(await lines('--instance', instanceId, '--release')).toEqual(['nothing is held']);
});

it.each([
  [[]],
  [['--release']],
  [[url, '--release']],
  [[url, '--platform', 'gcm']],
  [[url, '--list', '--release', '--instance', instanceId]],
  [[url, '--dry-run']],
  [[url, url]],
])('says how it is used when it is called in another way: %j', async (args) => {
  const usage = expect.stringContaining('usage: rookery-deletions [<url>]') as string;
  await expect(command(args)).rejects.toMatchObject({ code: 2, stdout: '', stderr: usage });
});

it('helps when it is asked to, and says in one line what is wrong with a database', async () => {
  expect((await command(['--help'])).stdout).toContain('usage: rookery-deletions [<url>]');
  await expect(command(['postgres://127.0.0.1:1/d'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^rookery-deletions: url: connect ECONNREFUSED .*\n$/) as string,
  });
});
