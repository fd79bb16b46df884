import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-sole-'));
const config = join(folder, 'config.json');
const started: ServerProcess[] = [];
let file: string;
let count = 0;

beforeAll(async () => {
  writeFileSync(config, JSON.stringify({ apps: [{ id: '1', key: 'k', secret: 's' }] }));
  await buildServer();
}, 180_000);
beforeEach(() => void (file = join(folder, `${count++}.db`)));
afterEach(() => Promise.all(started.splice(0).map((server) => server.kill())));
afterAll(() => rmSync(folder, { recursive: true }));

function launched(more: Readonly<Record<string, string>> = {}): ServerProcess {
  const environment = { DATABASE_URL: `sqlite:${file}`, CONFIG_FILE: config, NODE_ENV: 'production', ...more };
  const server = ServerProcess.launch(environment);
  started.push(server);
  return server;
}

async function listening(more?: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = launched(more);
  await server.listens();
  return server;
}

const refused =
  /^rookery: DATABASE_URL: another process serves clients on .*\.db, .*WORKERS.*DATABASE_URL=postgres:\/\/.*REDIS_URL/m;

it('one process serves the clients of an SQLite file in production, and another beside it does not start', async () => {
  await listening();
  const refusals = ['1', '2'].map(async (count) => {
    const second = launched({ WORKERS: count });
    expect(await second.exit()).toBe(1);
    expect(second.output).toMatch(refused);
  });
  await Promise.all(refusals);
});

it('beside workers, another starts only where it is no production, and warns; one that sends publishes does not', async () => {
  await listening({ WORKERS: '2' });
  const instance = { BEAMS_INSTANCE_ID: randomUUID(), BEAMS_SECRET_KEY: 'secret-key' };
  const [second, worker] = await Promise.all([listening({ NODE_ENV: '' }), listening({ ROLE: 'worker', ...instance })]);
  expect(second.output).toMatch(/another process serves clients on .*WORKERS.*With NODE_ENV=production/);
  expect(worker.output).not.toContain('another process');
});

it('a process starts at once where the one before was killed, and leaves nothing when it stops', async () => {
  const first = await listening();
  await first.kill();
  const second = await listening();
  expect(second.output).not.toContain('Waiting for');
  expect(existsSync(`${file}-owner`)).toBe(true);
  expect(await second.stop()).toBe(0);
  expect(existsSync(`${file}-owner`)).toBe(false);
});

it('a process that replaces another waits until that one has stopped', async () => {
  const first = await listening();
  const second = launched();
  await until(() => second.output.includes('Waiting for the process'), 'it waits');
  expect(await first.stop()).toBe(0);
  await second.listens();
});
