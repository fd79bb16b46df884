import { execFileSync } from 'node:child_process';
import { TestRedis } from './redis.js';
import { until } from './until.js';

/** Three Redis nodes that share the keys. */
export class TestRedisCluster {
  private constructor(readonly nodes: readonly TestRedis[]) {}

  static async start(): Promise<TestRedisCluster> {
    const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
    const nodes = await Promise.all([1, 2, 3].map(() => TestRedis.start(...settings)));
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'pipe' });
    const isWhole = async (node: TestRedis) =>
      String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok');
    for (const node of nodes) await until(() => isWhole(node), 'the cluster is whole', 20_000);
    return new TestRedisCluster(nodes);
  }

  get url(): string {
    return `redis+cluster://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
