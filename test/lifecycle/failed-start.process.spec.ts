import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command } from '../support/command-line.js';
import { buildServer } from '../support/server-process.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'rookery-start-'));
const app = { id: '1', key: 'k', secret: 's' };
const taken = createServer();

beforeAll(async () => {
  await buildServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
}, 180_000);
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

/** How the server ends, and what it says of it. */
async function failure(environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, ...environment };
  const child = spawn(process.execPath, [command], { cwd: root, env });
  child.stdout.resume();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>]);
  return { code, said: said.trim().split('\n') };
}

const withApp = written('app.json', JSON.stringify({ apps: [app] }));

function written(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

// Each is a process of its own.
it.concurrent.each([
  [
    'a port that is in use',
    () => ({ PORT: String((taken.address() as AddressInfo).port) }),
    /^rookery: HOST, PORT: listen EADDRINUSE/,
  ],
  ['a host that is not here', () => ({ PORT: '0', HOST: '192.0.2.1' }), /^rookery: HOST, PORT: listen EADDRNOTAVAIL/],
  [
    'a port that is in use, for workers',
    () => ({ PORT: String((taken.address() as AddressInfo).port), WORKERS: '2' }),
    /^rookery: HOST, PORT: .*EADDRINUSE/,
  ],
  [
    'one of several processes of pm2 in production, without Redis',
    () => ({ PORT: '0', NODE_ENV: 'production', pm_id: '1', instances: '2', CONFIG_FILE: withApp }),
    /^rookery: ChannelsModule: pm2 runs several processes, and TypeOrmBroker is for one: .*DATABASE_URL=postgres:.*REDIS_URL.*WORKERS/,
  ],
  [
    'a database that is not there',
    () => ({ DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/d' }),
    /^rookery: DATABASE_URL: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  [
    'a Redis that is not there',
    () => ({ REDIS_URL: 'redis://user:hidden@127.0.0.1:1' }),
    /^rookery: REDIS_URL: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  [
    'a Redis Cluster that is not there, for workers',
    () => ({ REDIS_URL: 'redis+cluster://127.0.0.1:1', WORKERS: '2' }),
    /^rookery: REDIS_URL: No node can be reached: 127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  [
    'a configuration that is not there',
    () => ({ CONFIG_FILE: join(folder, 'none.json') }),
    /^rookery: CONFIG_FILE .*none\.json cannot be read as JSON: ENOENT/,
  ],
  [
    'two apps with one id, which the workers refuse',
    () => ({ CONFIG_FILE: written('twice.json', JSON.stringify({ apps: [app, app] })), WORKERS: '2' }),
    /^rookery: ChannelsModule: /,
  ],
  [
    'a database that is not there, for workers',
    () => ({ DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/d', WORKERS: '2' }),
    /^rookery: DATABASE_URL: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  [
    'two apps with one id, which a module refuses',
    () => ({ CONFIG_FILE: written('twice.json', JSON.stringify({ apps: [app, app] })) }),
    /^rookery: ChannelsModule: /,
  ],
])(
  'ends the server at once with 1, and one line that names the setting: %s',
  async (_, environment, line) => {
    const said = [expect.stringMatching(line) as string];
    expect(await failure(environment())).toEqual({ code: 1, said });
  },
  60_000,
);
