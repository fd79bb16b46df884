import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { migrate, openDatabase } from 'rookery/internal/typeorm';
import { rookery } from '../support/command-line.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { typed } from '../support/typed-command.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'rookery-backup-'));
const config = join(folder, 'rookery.json');
const urlOf = (name: string): string => `sqlite:${join(folder, name)}`;
const running: ServerProcess[] = [];
beforeAll(async () => {
  writeFileSync(config, JSON.stringify({ instances: [instance] }));
  await buildServer();
  const { dataSource } = await openDatabase(urlOf('other.db'));
  await migrate(dataSource);
  await dataSource.destroy();
}, 180_000);
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await Promise.all(running.splice(0).map((server) => server.kill()));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function serve(name: string): Promise<string> {
  const server = await ServerProcess.start({ CONFIG_FILE: config, DATABASE_URL: urlOf(name) });
  running.push(server);
  return server.url;
}

const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
const devicesOf = (url: string): string => `${url}/device_api/v1/instances/${instance.id}/devices/fcm`;

it('copies a database during writes: a server on the copy has everything acknowledged before', async () => {
  const url = await serve('rookery.db');
  const registered: string[] = [];
  const end = new AbortController();
  const write = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const body = JSON.stringify({ token: crypto.randomUUID() });
      const answer = await fetch(devicesOf(url), { method: 'POST', headers, body });
      registered.push(((await answer.json()) as { id: string }).id);
    }
  };
  const writers = Array.from({ length: 8 }, write);
  await until(() => registered.length >= 500, 'devices were registered', 60_000);
  const publishes = `${url}/publish_api/v1/instances/${instance.id}/publishes/interests`;
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await fetch(publishes, {
    method: 'POST',
    headers: { ...headers, 'publish-at': inAnHour },
    body: JSON.stringify({ interests: ['news'], fcm: {} }),
  });
  const { publishId } = (await scheduled.json()) as { publishId: string };
  const before = [...registered];
  const file = join(folder, 'copy.db');
  const { code, stdout } = await rookery(['backup', file], { DATABASE_URL: urlOf('rookery.db') });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^copied \S+rookery\.db to \S+copy\.db \(\d+\.\d MB\)\n$/)]);
  expect(registered.length, 'the server goes on').toBeGreaterThan(before.length);
  end.abort();
  await Promise.all(writers);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);

  const copy = await serve('copy.db');
  const states = new Set<number>();
  for (const id of before) states.add((await fetch(`${devicesOf(copy)}/${id}`)).status);
  expect(states).toEqual(new Set([200]));
  const status = await fetch(`${copy}/publish_api/v1/instances/${instance.id}/publishes/${publishId}`, { headers });
  expect(await status.json()).toMatchObject({ publishId, state: 'scheduled' });
  const body = JSON.stringify({ token: 'another' });
  expect((await fetch(devicesOf(copy), { method: 'POST', headers, body })).status, 'it takes writes').toBe(200);
  const database = await openDatabase(urlOf('copy.db'));
  expect(await database.read('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  await database.dataSource.destroy();
});

it.each([
  [
    'a file that is there',
    ['rookery.json'],
    urlOf('other.db'),
    /^rookery: The file .*rookery\.json exists already: name/,
  ],
  [
    'a folder that is not there',
    ['no/copy.db'],
    urlOf('other.db'),
    /^rookery: .*no such file or directory.*no\/copy\.db/,
  ],
  ['no database', ['new.db'], urlOf('none.db'), /^rookery: DATABASE_URL: \S+none\.db does not exist\n$/],
  [
    'PostgreSQL',
    ['new.db'],
    'postgres://127.0.0.1:1/d',
    /^rookery: DATABASE_URL: this command copies only SQLite.*pg_dump\n$/,
  ],
])('reports a fault in one line: %s', async (_, [name = ''], url, stderr) => {
  const { mtimeMs } = statSync(config);
  vi.stubEnv('DATABASE_URL', url);
  expect(await typed(['backup', join(folder, name)])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(stderr) as string,
  });
  expect(statSync(config).mtimeMs).toBe(mtimeMs);
  expect(readdirSync(folder)).not.toContain('none.db');
});
