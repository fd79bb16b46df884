import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { dataSourceOptions, migrate, openDatabase } from 'rookery/internal/typeorm';
import { type Ended, rookery } from '../support/command-line.js';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { typed } from '../support/typed-command.js';

vi.setConfig({ testTimeout: 120_000 });

const all = mkdtempSync(join(tmpdir(), 'rookery-restore-'));
const config = join(all, 'rookery.json');
const running: ServerProcess[] = [];
let [folder, path, backup, url] = ['', '', '', ''];
let stories = 0;
beforeAll(async () => {
  writeFileSync(config, JSON.stringify({ instances: [instance] }));
  await buildServer();
}, 180_000);
beforeEach(() => {
  folder = join(all, `data-${stories++}`);
  [path, backup] = [join(folder, 'rookery.db'), join(all, `backup-${stories}.db`)];
  url = `sqlite:${path}`;
});
afterEach(() => Promise.all(running.splice(0).map((server) => server.kill())));
afterAll(() => rmSync(all, { recursive: true }));

const headers = { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' };
const devicesAt = (server: ServerProcess): string => `${server.url}/device_api/v1/instances/${instance.id}/devices/fcm`;

async function started(databaseUrl = url): Promise<ServerProcess> {
  const server = await ServerProcess.start({ CONFIG_FILE: config, DATABASE_URL: databaseUrl });
  running.push(server);
  return server;
}

async function register(server: ServerProcess): Promise<string> {
  const body = JSON.stringify({ token: crypto.randomUUID() });
  const answer = await fetch(devicesAt(server), { method: 'POST', headers, body });
  return ((await answer.json()) as { id: string }).id;
}

const status = async (server: ServerProcess, id: string): Promise<number> =>
  (await fetch(`${devicesAt(server)}/${id}`)).status;

const run = (...args: readonly string[]): Promise<Ended> => rookery(args, { DATABASE_URL: url });

/** A server with a device before its backup and one after it. */
async function backedUp() {
  const server = await started();
  const before = await register(server);
  expect((await run('backup', backup)).code).toBe(0);
  return { server, before, after: await register(server) };
}

async function expectRestored({ before, after }: { readonly before: string; readonly after: string }): Promise<void> {
  const { code, stdout } = await run('restore', backup);
  const [restored, kept] = stdout.trim().split('\n');
  expect(code).toBe(0);
  expect(restored).toMatch(new RegExp(`^restored ${path} from ${backup} \\(\\d+\\.\\d MB\\)$`));
  const again = await started();
  expect([await status(again, before), await status(again, after)]).toEqual([200, 404]);
  const replaced = await started(`sqlite:${kept!.replace('the database before is ', '')}`);
  expect([await status(replaced, before), await status(replaced, after)]).toEqual([200, 200]);
}

it('leaves one file after a clean stop, and restores a backup', async () => {
  const { server, ...devices } = await backedUp();
  expect(await server.stop()).toBe(0);
  expect(readdirSync(folder)).toEqual(['rookery.db']);
  await expectRestored(devices);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('restores after a crash: the log stays with the file that it belongs to', async () => {
  const { server, ...devices } = await backedUp();
  await server.kill();
  await expectRestored(devices);
});

it('restores where no database is', async () => {
  const { server, before } = await backedUp();
  await server.stop();
  rmSync(folder, { recursive: true });
  expect((await run('restore', backup)).stdout.split('\n')).toHaveLength(2);
  expect(await status(await started(), before)).toBe(200);
});

it('refuses while a server runs, which notices nothing', async () => {
  const { server, after } = await backedUp();
  expect(await run('restore', backup)).toEqual({
    code: 1,
    stdout: '',
    stderr: `rookery: Process ${server.pid} has ${path} open: stop the server first\n`,
  });
  expect(await status(server, after)).toBe(200);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  expect(readdirSync(folder).filter((name) => !name.startsWith('rookery.db'))).toEqual([]);
});

describe('of a stopped server', () => {
  const migrated = join(all, 'migrated.db');
  beforeAll(async () => {
    const { dataSource } = await openDatabase(`sqlite:${migrated}`);
    await migrate(dataSource);
    await dataSource.destroy();
  });
  beforeEach(() => {
    mkdirSync(folder);
    copyFileSync(migrated, path);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });

  /** Restores within this process. */
  const restoring = (file: string, databaseUrl = url) => {
    vi.stubEnv('DATABASE_URL', databaseUrl);
    return typed(['restore', file]);
  };

  const writtenWith = async (file: string, ...texts: readonly string[]): Promise<void> => {
    const dataSource = await new DataSource(dataSourceOptions(`sqlite:${file}`)).initialize();
    for (const text of texts) await dataSource.query(text);
    await dataSource.destroy();
  };

  it.each<[string, () => Promise<void> | void, RegExp]>([
    ['is not there', () => {}, /backup-\d+\.db does not exist\n$/],
    ['is a dump', () => writeFileSync(backup, '-- PostgreSQL database dump'), /is not a SQLite database\n$/],
    ['is another database', () => writtenWith(backup, 'CREATE TABLE t (x)'), /is not a database of Rookery\n$/],
    [
      'is of a revision before the first migration',
      () =>
        writtenWith(
          backup,
          'CREATE TABLE rookery_migrations (name text PRIMARY KEY, applied_at text NOT NULL)',
          "INSERT INTO rookery_migrations VALUES ('CreateDevices1763700000000', '')",
        ),
      /cannot be used\. This database was last migrated by CreateDevices/,
    ],
    [
      'is damaged',
      () => {
        const bytes = readFileSync(path);
        // The page size is 4096 bytes: some pages in the middle.
        bytes.fill(7, 40_960, 81_920);
        writeFileSync(backup, bytes);
      },
      /backup-\d+\.db is damaged: /,
    ],
    [
      'is cut off',
      () => writeFileSync(backup, readFileSync(path).subarray(0, 50_000)),
      /cannot be opened: .*malformed/,
    ],
  ])('restores no backup that %s', async (_, make, stderr) => {
    await make();
    const before = readFileSync(path);
    expect(await restoring(backup)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['rookery.db']);
  });

  it('restores neither itself nor PostgreSQL', async () => {
    expect((await restoring(path)).stderr).toMatch(/is the database itself\n$/);
    const { stderr } = await restoring(path, 'postgres://127.0.0.1:1/d');
    expect(stderr).toMatch(/^rookery: DATABASE_URL: this command restores only SQLite.*pg_restore\n$/);
  });
});

it('refuses to start on a file with the log of another one', async () => {
  const { server } = await backedUp();
  await server.kill();
  copyFileSync(backup, path);
  expect(existsSync(`${path}-wal`)).toBe(true);
  const log = readFileSync(`${path}-wal`);
  const { code, stderr } = await run();
  expect({ code, lines: stderr.trim().split('\n') }).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^rookery: DATABASE_URL: \S+-wal is the log of another file.*`rookery restore`/)],
  });
  expect(readFileSync(path).equals(readFileSync(backup))).toBe(true);
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
});
