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
    public master: TestRedis,
    public replica: TestRedis,
    private readonly ports: readonly number[],
    private readonly sentinels: readonly ChildProcess[],
    private readonly folder: string,
    private readonly password: string | undefined,
  ) {}

  /** @param password what one has to know to ask the sentinels */
  static async start({ password }: { readonly password?: string } = {}): Promise<TestRedisSentinels> {
    const master = await TestRedis.start();
    const replica = await TestRedis.start('--replicaof', '127.0.0.1', String(master.port));
    await until(() => isInSync(replica), 'the replica has what the master has');
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
          ...(password === undefined ? [] : [`requirepass "${password}"`]),
          '',
        ].join('\n'),
      );
      const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
      process.once('exit', () => child.kill('SIGKILL'));
      return child;
    });
    const started = new TestRedisSentinels(master, replica, ports, sentinels, folder, password);
    for (const port of ports) await until(() => started.knowsAll(port), 'the sentinels know each other');
    return started;
  }

  get url(): string {
    return `redis+sentinel://${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}/rookery`;
  }

  /**
   * The master fails and the replica takes over, which lacks what happens `meanwhile`. Settles when there are a master and
   * a replica again.
   */
  async failOver(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const { master, replica } = this;
    replica.pause();
    await master.command('CLIENT', 'KILL', 'TYPE', 'REPLICA');
    await meanwhile();
    await master.kill();
    replica.resume();
    // One that comes back before all know of the other would be made the master again.
    for (const port of this.ports) await until(() => this.names(port, replica), 'the replica is the master');
    await master.start('--replicaof', '127.0.0.1', String(replica.port));
    // Another failover while this one is not over for all would mix them up. A sentinel may change its mind on a slow
    // machine: then the former master is the master again.
    await until(async () => (await this.isOver(replica, master)) || this.isOver(master, replica), 'all agree', 60_000);
  }

  /** The master hangs until the replica has taken over, and goes on as a master then, until the sentinels see to it. */
  async hang(): Promise<void> {
    const { master, replica } = this;
    master.pause();
    for (const port of this.ports) await until(() => this.names(port, replica), 'the replica is the master');
    master.resume();
    await until(async () => (await this.isOver(replica, master)) || this.isOver(master, replica), 'all agree', 60_000);
  }

  /** Whether all see the first as the master and the second as its replica, which has what the master has. */
  private async isOver(master: TestRedis, replica: TestRedis): Promise<boolean> {
    for (const port of this.ports) if (!(await this.names(port, master)) || !(await this.isSettled(port))) return false;
    if (!(await isInSync(replica))) return false;
    [this.master, this.replica] = [master, replica];
    return true;
  }

  async stop(): Promise<void> {
    for (const sentinel of this.sentinels) sentinel.kill('SIGKILL');
    await Promise.all([this.master.stop(), this.replica.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async knowsAll(port: number): Promise<boolean> {
    const [others, replicas] = [await this.asked(port, 'sentinels'), await this.asked(port, 'replicas')];
    return others.length === 2 && replicas.length === 1;
  }

  /** Whether the sentinel sees a master and a replica, and has nothing to do with them. */
  private async isSettled(port: number): Promise<boolean> {
    const [master, [replica]] = [await this.asked(port, 'master'), await this.asked(port, 'replicas')];
    const flags = [master, replica as string[] | undefined].map((fields) => fields?.[fields.indexOf('flags') + 1]);
    return flags.join() === 'master,slave';
  }

  /** Whether the sentinel names it as the master. */
  private async names(port: number, redis: TestRedis): Promise<boolean> {
    return Number((await this.asked(port, 'get-master-addr-by-name'))[1]) === redis.port;
  }

  private async asked(port: number, what: string): Promise<readonly unknown[]> {
    const { password } = this;
    const own = password === undefined ? {} : { password };
    const sentinel = new Redis(port, '127.0.0.1', { ...own, maxRetriesPerRequest: 0, retryStrategy: null });
    sentinel.on('error', () => undefined);
    try {
      return (await sentinel.call('SENTINEL', what, 'rookery')) as unknown[];
    } catch {
      return [];
    } finally {
      sentinel.disconnect();
    }
  }
}

// Sentinels break all connections of one that they turn into something else.
const says = async (redis: TestRedis, what: string): Promise<boolean> =>
  String(await redis.command('INFO', 'replication').catch(() => '')).includes(what);

const isInSync = (replica: TestRedis): Promise<boolean> => says(replica, 'master_link_status:up');
