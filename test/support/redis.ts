import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type describe, inject } from 'vitest';
import { freePort } from './free-port.js';
import { describeWith, missing } from './services.js';
import { until } from './until.js';

/** A `describe` for tests that need Redis. */
export const describeRedis: typeof describe | typeof describe.skip = describeWith('redis-server', isRedisInstalled);

export function isRedisInstalled(): boolean {
  return isInstalled('redis-server');
}

/**
 * What runs on one Redis is run on Valkey as well. In CI it may be missing only where the distribution has no package of
 * it, as Debian 12: `.ci/run` sets `WITHOUT_VALKEY` there.
 */
export function redisAndValkey(): (readonly [name: string, start: () => Promise<TestRedis>])[] {
  const redis = ['Redis', () => TestRedis.start()] as const;
  if (isInstalled('valkey-server')) return [redis, ['Valkey', () => TestRedis.startValkey()]];
  if (inject('services')) missing('valkey-server is missing', process.env['WITHOUT_VALKEY'] !== undefined);
  return [redis];
}

function isInstalled(binary: string): boolean {
  try {
    execFileSync(binary, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** A Redis of a test's own. What it keeps is in memory alone: started again, it is empty. */
export class TestRedis {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: readonly string[],
    private readonly binary: 'redis-server' | 'valkey-server' = 'redis-server',
  ) {
    process.once('exit', () => this.child?.kill('SIGKILL'));
  }

  static async start(...settings: readonly string[]): Promise<TestRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-redis-'));
    const redis = new TestRedis(await freePort(), folder, settings);
    await redis.start();
    return redis;
  }

  /** One that will be in a cluster. Other nodes reach it at its `bus`, by default a port that is 10,000 higher: it may be taken. */
  static async startNode(...settings: readonly string[]): Promise<TestRedis & { readonly bus: number }> {
    const bus = await freePort();
    // If a slow migration copies a key and does not delete it, redis-cli compares the two by DEBUG, and goes on.
    const comparable = ['--enable-debug-command', 'local'];
    const clustered = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), ...comparable];
    return Object.assign(await TestRedis.start(...clustered, ...settings), { bus });
  }

  static async startValkey(): Promise<TestRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-valkey-'));
    const valkey = new TestRedis(await freePort(), folder, [], 'valkey-server');
    await valkey.start();
    return valkey;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** @param more settings for this time */
  async start(...more: readonly string[]): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.child = spawn(this.binary, [...settings, '--dir', this.folder, ...this.settings, ...more], {
      stdio: 'ignore',
    });
    await until(() => this.answers(), 'Redis answers');
  }

  /** As when its machine fails: nothing is kept. */
  async kill(): Promise<void> {
    await ended(this.child, 'SIGKILL');
  }

  /** Its connections stay open, and nothing is answered. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.resume();
    await ended(this.child, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs one command, for what a test has to know or to bring about. */
  async command(...[name, ...args]: readonly [string, ...(string | number)[]]): Promise<unknown> {
    const client = this.client();
    try {
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  private client(): Redis {
    const client = new Redis(this.port, '127.0.0.1', { maxRetriesPerRequest: 0, retryStrategy: null });
    return client.on('error', () => undefined);
  }

  private async answers(): Promise<boolean> {
    return this.command('PING').then(
      () => true,
      () => false,
    );
  }
}

function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
