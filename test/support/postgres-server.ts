import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** Where Debian's packages put it. */
export const postgresRoot = '/usr/lib/postgresql';
const versions = existsSync(postgresRoot) ? readdirSync(postgresRoot).sort((a, b) => Number(b) - Number(a)) : [];
const binaries = versions
  .map((version) => join(postgresRoot, version, 'bin'))
  .find((bin) => existsSync(join(bin, 'initdb')));

export const isPostgresInstalled = (): boolean => binaries !== undefined;

export interface TestPostgres {
  readonly url: string;
  readonly pid: number;
  /** Answers the URL of one more database, which is empty. */
  readonly newDatabase: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a PostgreSQL of this test's own, on a free port, that sorts text as English does. Stop it afterwards.
 * @param more settings, such as `max_connections=20`
 */
export async function startPostgres(...more: readonly string[]): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-postgres-'));
  const data = join(folder, 'data');
  makePostgresFolder(data);
  const server = await startPostgresIn(data, {}, 'fsync=off', ...more);
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, stop };
}

/** A data folder with an empty cluster. */
export const makePostgresFolder = (data: string): void => copy(emptyCluster(unprivileged()), data);

/** The same in a data folder, which stays. */
export async function startPostgresIn(
  data: string,
  environment: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<TestPostgres> {
  const user = unprivileged();
  // What is above it may be closed to other users.
  const parent = dirname(data);
  if (user.uid !== undefined) {
    chownSync(parent, user.uid, user.gid ?? user.uid);
    execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, data]);
  }
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...more];
  const server = spawn(join(binaries!, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...user,
    cwd: parent,
    env: { ...process.env, ...environment },
    stdio: 'ignore',
  });
  const kill = () => void server.kill('SIGQUIT');
  process.once('exit', kill);
  const url = `postgres://rookery@127.0.0.1:${port}/postgres`;
  const isUp = (): Promise<boolean> => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode} at its start`);
    return answers(url);
  };
  await until(isUp, 'PostgreSQL answers');
  return {
    url,
    pid: server.pid!,
    newDatabase: () => newDatabaseAt(url),
    stop: async () => {
      process.off('exit', kill);
      await stopped(server);
    },
  };
}

const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8', '--encoding=UTF8'];
const kept = join(import.meta.dirname, '../../node_modules/.cache/rookery-postgres');

/** The folder that initdb makes, which takes it a second: made once, each server begins with a copy of it. */
function emptyCluster(user: Owner): string {
  const version = execFileSync(join(binaries!, 'initdb'), ['--version'], { encoding: 'utf8' });
  const cluster = join(kept, [version, ...locale].join().replaceAll(/[^\w.]+/g, '-'));
  if (existsSync(cluster)) return cluster;
  const folder = mkdtempSync(join(tmpdir(), 'rookery-initdb-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'rookery', '--auth=trust', '--no-sync', ...locale];
  execFileSync(join(binaries!, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'pipe' });
  mkdirSync(kept, { recursive: true });
  // Another process may be making one too: the first that is complete stays.
  const own = `${cluster}.${process.pid}`;
  copy(data, own);
  try {
    renameSync(own, cluster);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(cluster)) throw error;
  }
  rmSync(folder, { recursive: true });
  return cluster;
}

/** With owners and permissions, which PostgreSQL checks. */
const copy = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

type Owner = Pick<SpawnOptions, 'uid' | 'gid'>;

/** Answers the URL of a new, empty database on the server at `url`. */
export async function newDatabaseAt(url: string): Promise<string> {
  const name = `database_${randomBytes(6).toString('hex')}`;
  const client = new Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return url.replace(/[^/]+$/, name);
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): Owner {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
  return { uid: id('-u'), gid: id('-g') };
}

/** Whether a PostgreSQL, or a pooler before one, takes connections. */
export async function answers(url: string): Promise<boolean> {
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
