import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { TestRedis } from './redis.js';
import { until } from './until.js';

/** What redis-cli says of a failure is on its standard output. */
type CliError = Error & { readonly stdout: string };

/** Three Redis nodes that share the keys. */
export class TestRedisCluster {
  private constructor(readonly nodes: readonly TestRedis[]) {}

  static async start(): Promise<TestRedisCluster> {
    const nodes = await Promise.all([1, 2, 3].map(() => TestRedis.startNode('--cluster-node-timeout', '2000')));
    const addresses = nodes.map(({ port, bus }) => `127.0.0.1:${port}@${bus}`);
    execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'pipe' });
    const isWhole = async (node: TestRedis) =>
      String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok');
    for (const node of nodes) await until(() => isWhole(node), 'the cluster is whole');
    return new TestRedisCluster(nodes);
  }

  /** Moves slots from the first node to the second, one after the other, while the cluster serves. */
  async reshard(slots: number): Promise<void> {
    const [from, to] = this.nodes;
    const id = async (node: TestRedis) => String(await node.command('CLUSTER', 'MYID'));
    const ends = ['--cluster-from', await id(from!), '--cluster-to', await id(to!)];
    const at = `127.0.0.1:${from!.port}`;
    const run = (...args: string[]) =>
      promisify(execFile)('redis-cli', ['--cluster', ...args], { maxBuffer: 64 * 1024 * 1024 });
    // It refuses where nodes do not agree yet, as just after the cluster is whole.
    const agree = () => run('check', at).then(Boolean, () => false);
    await until(agree, 'the nodes agree about the slots');
    await run('reshard', at, ...ends, '--cluster-slots', String(slots), '--cluster-yes').catch((error: CliError) => {
      throw new Error(`${error.message}${error.stdout.slice(-1000)}`, { cause: error });
    });
  }

  /** Begins to move the slot of a key to another node. The returned function moves its keys, and ends it. */
  async beginMove(key: string): Promise<() => Promise<void>> {
    const [first] = this.nodes;
    const slot = String(await first!.command('CLUSTER', 'KEYSLOT', key));
    const counts = await Promise.all(this.nodes.map((node) => node.command('CLUSTER', 'COUNTKEYSINSLOT', slot)));
    const at = counts.findIndex((count) => Number(count) > 0);
    const [from, to] = [this.nodes[at]!, this.nodes[(at + 1) % this.nodes.length]!];
    const [fromId, toId] = [String(await from.command('CLUSTER', 'MYID')), String(await to.command('CLUSTER', 'MYID'))];
    await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    return async () => {
      const keys = (await from.command('CLUSTER', 'GETKEYSINSLOT', slot, '1000')) as string[];
      await from.command('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
      for (const node of [to, from]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    };
  }

  get url(): string {
    return `redis+cluster://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
