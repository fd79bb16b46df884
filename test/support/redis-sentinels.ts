import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { TestRedis } from './redis.js';
import { until } from './until.js';

/** A master, its replica, and three sentinels that make the replica the master when it fails. */
export class TestRedisSentinels {
  private constructor(
    readonly master: TestRedis,
    readonly replica: TestRedis,
    private readonly ports: readonly number[],
    private readonly sentinels: readonly ChildProcess[],
    private readonly folder: string,
  ) {}

  static async start(): Promise<TestRedisSentinels> {
    const master = await TestRedis.start();
    const replica = await TestRedis.start('--replicaof', '127.0.0.1', String(master.port));
    const isSynced = async () => String(await replica.command('INFO', 'replication')).includes('master_link_status:up');
    await until(isSynced, 'the replica has what the master has', 20_000);
    const folder = mkdtempSync(join(tmpdir(), 'rookery-sentinel-'));
    const ports = [await freePort(), await freePort(), await freePort()];
    const sentinels = ports.map((port) => {
      const file = join(folder, `${port}.conf`);
      writeFileSync(
        file,
        [
          `port ${port}`,
          'bind 127.0.0.1',
          `sentinel monitor rookery 127.0.0.1 ${master.port} 2`,
          'sentinel down-after-milliseconds rookery 500',
          'sentinel failover-timeout rookery 2000',
          '',
        ].join('\n'),
      );
      const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
      process.once('exit', () => child.kill('SIGKILL'));
      return child;
    });
    const started = new TestRedisSentinels(master, replica, ports, sentinels, folder);
    for (const port of ports) await until(() => knowsAll(port), 'the sentinels know each other', 20_000);
    return started;
  }

  get url(): string {
    return `redis+sentinel://${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}/rookery`;
  }

  async stop(): Promise<void> {
    for (const sentinel of this.sentinels) sentinel.kill('SIGKILL');
    await Promise.all([this.master.stop(), this.replica.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function knowsAll(port: number): Promise<boolean> {
  const sentinel = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0, retryStrategy: null });
  sentinel.on('error', () => undefined);
  try {
    const [others, replicas] = await Promise.all([
      sentinel.call('SENTINEL', 'sentinels', 'rookery'),
      sentinel.call('SENTINEL', 'replicas', 'rookery'),
    ]);
    return (others as unknown[]).length === 2 && (replicas as unknown[]).length === 1;
  } catch {
    return false;
  } finally {
    sentinel.disconnect();
  }
}
