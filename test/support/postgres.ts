import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { describe } from 'vitest';
import { freePort } from './free-port.js';
import { describeWith } from './services.js';
import { until } from './until.js';

const root = '/usr/lib/postgresql';
const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
const binaries = versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));

/** A `describe` for tests that need PostgreSQL. */
export const describePostgres: typeof describe | typeof describe.skip = describeWith(
  `PostgreSQL (initdb below ${root})`,
  () => binaries !== undefined,
);

/** Starts a PostgreSQL of this test's own, on a free port, that sorts text as English does. Stop it afterwards. */
export async function startPostgres(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-postgres-'));
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  const data = join(folder, 'data');
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8', '--encoding=UTF8'];
  execFileSync(join(binaries!, 'initdb'), ['-D', data, '-U', 'rookery', '--auth=trust', '--no-sync', ...locale], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  });
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(join(binaries!, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const kill = () => void server.kill('SIGQUIT');
  process.once('exit', kill);
  const url = `postgres://rookery@127.0.0.1:${port}/postgres`;
  await until(() => answers(url), 'PostgreSQL answers', 30_000);
  return {
    url,
    stop: async () => {
      process.off('exit', kill);
      await stopped(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client(url);
  // Refused or starting up: asked again.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

function stopped(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null) return resolve();
    server.once('exit', () => resolve());
    server.kill('SIGQUIT');
  });
}
