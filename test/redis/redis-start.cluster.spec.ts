import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { settingsOf } from '#common';
import { RedisConnection, RedisSettings } from 'rookery/redis';
import { freePort } from '../support/free-port.js';
import { TestRedisCluster } from '../support/redis-cluster.js';
import { TestRedisSentinels } from '../support/redis-sentinels.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { authorityFile } from '../support/tls/index.js';
import { until } from '../support/until.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const open = async (options: Partial<RedisSettings>): Promise<RedisConnection> => {
  const connection = await RedisConnection.open(settingsOf(RedisSettings, options));
  closing.push(() => connection.close());
  return connection;
};

/** Whether a process listens on the port. */
const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** What is logged while Redis is opened. */
function logged(): readonly string[] {
  const lines: string[] = [];
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(String(line)));
  closing.push(() => warn.mockRestore());
  return lines;
}

describeRedis('the start with sentinels', () => {
  let sentinels: TestRedisSentinels;
  beforeAll(async () => {
    sentinels = await TestRedisSentinels.start({ password: 'of the sentinels' });
  });
  afterAll(() => sentinels.stop());

  it('works with the password of the sentinels', async () => {
    const connection = await open({ url: sentinels.url, sentinelPassword: 'of the sentinels' });
    expect(await connection.ask((client) => client.ping())).toBe('PONG');
  });

  it('ends without that password, and names the setting', async () => {
    await expect(open({ url: sentinels.url })).rejects.toThrow(
      /sentinel 127\.0\.0\.1:\d+: NOAUTH Authentication required\. Set sentinelPassword/,
    );
  });

  it('ends with another password', async () => {
    await expect(open({ url: sentinels.url, sentinelPassword: 'wrong' })).rejects.toThrow(
      /sentinel 127\.0\.0\.1:\d+: WRONGPASS .*\. Correct sentinelPassword/,
    );
  });

  it('ends when no sentinel knows the master', async () => {
    const url = sentinels.url.replace(/rookery$/, 'mymaster');
    await expect(open({ url, sentinelPassword: 'of the sentinels' })).rejects.toThrow(
      'No sentinel knows a master named mymaster',
    );
  });

  it('ends when no sentinel can be reached', async () => {
    const port = await freePort();
    await expect(open({ url: `redis+sentinel://127.0.0.1:${port}/rookery` })).rejects.toThrow(
      `No sentinel can be reached: 127.0.0.1:${port}: connect ECONNREFUSED`,
    );
  });

  it('waits for a master that does not answer, and says so once', async () => {
    const lines = logged();
    const { master } = sentinels;
    await master.kill();
    const opening = open({ url: sentinels.url, sentinelPassword: 'of the sentinels' });
    await until(() => lines.length > 0, 'it says what it waits for');
    const connection = await opening;
    expect(await connection.ask((client) => client.ping())).toBe('PONG');
    expect(lines).toEqual([expect.stringMatching(/^The start waits for redis\+sentinel:.*: the master rookery, /)]);
  });
});

describeRedis('the start with a cluster', () => {
  let cluster: TestRedisCluster;
  beforeAll(async () => {
    cluster = await TestRedisCluster.start();
  });
  afterAll(() => cluster.stop());

  it('waits for a cluster that is down, says so once, and goes on when it is back', async () => {
    const lines = logged();
    const [, second, third] = cluster.nodes;
    for (const node of [second, third]) node!.pause();
    await until(
      async () => String(await cluster.nodes[0]!.command('CLUSTER', 'INFO')).includes('cluster_state:fail'),
      'the cluster is down',
      30_000,
    );
    const opening = open({ url: cluster.url });
    await until(() => lines.length > 0, 'it says what it waits for');
    // As `rookery doctor` asks.
    const impatient = RedisConnection.open(settingsOf(RedisSettings, { url: cluster.url }), { isPatient: false });
    await expect(impatient).rejects.toThrow('the cluster is down (cluster_state:fail)');
    for (const node of [second, third]) node!.resume();
    const connection = await opening;
    await until(
      () =>
        connection
          .ask((client) => client.get(connection.keys.in(1)))
          .then(
            () => true,
            () => false,
          ),
      'it answers',
      30_000,
    );
    expect(lines.filter((line) => line.startsWith('The start waits'))).toEqual([
      expect.stringMatching(/: the cluster is down \(cluster_state:fail\)/),
    ]);
  });

  it('ends when none of the nodes can be reached', async () => {
    const port = await freePort();
    await expect(open({ url: `redis+cluster://127.0.0.1:${port}` })).rejects.toThrow(
      `No node can be reached: 127.0.0.1:${port}: connect ECONNREFUSED`,
    );
  });

  it('ends at a node that does not know its address', async () => {
    const node = await TestRedis.startNode();
    closing.push(() => node.stop());
    await node.command('CLUSTER', 'ADDSLOTSRANGE', 0, 16383);
    await until(
      async () => String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'),
      'the node serves all slots',
      10_000,
    );
    await expect(open({ url: node.url.replace('redis:', 'redis+cluster:') })).rejects.toThrow(
      `The node at 127.0.0.1:${node.port} does not know its own address: set its cluster-announce-ip`,
    );
  });

  it('ends at a Redis without cluster, and at a cluster that is named as a single Redis', async () => {
    const redis = await TestRedis.start();
    closing.push(() => redis.stop());
    await expect(open({ url: redis.url.replace('redis:', 'redis+cluster:') })).rejects.toThrow(
      'This Redis is no cluster: write redis://',
    );
    await expect(open({ url: cluster.nodes[0]!.url })).rejects.toThrow(
      'This Redis is a node of a cluster: write redis+cluster://',
    );
  });
});

describeRedis('the start with the rights of a user', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  afterAll(() => redis.stop());

  const asUser = async (...rights: readonly string[]) => {
    await redis.command('ACL', 'SETUSER', 'app', 'reset', 'on', '>pw', ...rights);
    return open({ url: redis.url.replace('//', '//app:pw@') });
  };
  const needed = 'Give it at least: ~rookery:* &rookery:* +@all -@dangerous +info';

  it.each([
    ['no right on the keys', ['&rookery:*', '+@all'], 'may not access keys that begin with rookery:'],
    ['no right on the channels', ['~*', '+@all'], 'may not publish and subscribe to channels that begin with rookery:'],
    ['no right to publish', ['~*', '&*', '+@all', '-spublish'], 'may not run SPUBLISH'],
    ['no right to run scripts', ['~*', '&*', '+@all', '-@scripting'], 'may not run EVAL'],
    ['no right to list channels', ['~*', '&*', '+@all', '-hscan'], 'may not run HSCAN'],
    ['no right to read the state', ['~*', '&*', '+@all', '-info'], 'may not run INFO'],
  ])('ends with %s, and says which are needed', async (_, rights, text) => {
    await expect(asUser(...rights)).rejects.toThrow(`The user app ${text}. ${needed}`);
  });

  it('works with the rights that it names', async () => {
    const connection = await asUser('~rookery:*', '&rookery:*', '+@all', '-@dangerous', '+info');
    expect(await connection.ask((client) => client.ping())).toBe('PONG');
  });

  it('ends with a wrong password', async () => {
    await expect(open({ url: redis.url.replace('//', '//app:wrong@') })).rejects.toThrow(/WRONGPASS/);
  });
});

describeRedis('the start with TLS and Unix sockets', () => {
  const fileOf = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
  const identity = { tlsCertFile: fileOf('renewed.pem'), tlsKeyFile: fileOf('renewed-key.pem') };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rookery-redis-start-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A Redis that asks clients for the certificate `renewed.pem`. */
  const startStrict = async (): Promise<string> => {
    const port = await freePort();
    const ofClients = ['--tls-auth-clients', 'yes', '--tls-ca-cert-file', fileOf('renewed.pem')];
    const ofServer = ['--tls-cert-file', fileOf('localhost.pem'), '--tls-key-file', fileOf('localhost-key.pem')];
    const redis = await TestRedis.start('--tls-port', String(port), ...ofClients, ...ofServer);
    closing.push(() => redis.stop());
    return `rediss://localhost:${port}`;
  };
  const expectServed = async (options: Partial<RedisSettings>): Promise<void> => {
    const connection = await open(options);
    expect(await connection.ask((client) => client.ping())).toBe('PONG');
    const subscriber = connection.subscriber();
    closing.push(() => subscriber.disconnect());
    await subscriber.connect();
    expect(await subscriber.ssubscribe(`${connection.keys.in(1)}topic`)).toBe(1);
  };

  it('shows Redis the certificate of this process, and trusts the named authority', async () => {
    await expectServed({ url: await startStrict(), tlsCaFile: authorityFile, ...identity });
  });

  it('ends without them', async () => {
    const url = await startStrict();
    await expect(open({ url })).rejects.toThrow(/unable to verify|self.signed certificate/);
    await expect(open({ url, tlsCaFile: authorityFile })).rejects.toThrow(
      /certificate required|ECONNRESET|EPIPE|closed/,
    );
    await expect(open({ url, tlsCaFile: '/none.pem' })).rejects.toThrow(/tlsCaFile: ENOENT/);
  });

  it('uses a certificate that took the place of another, for each new connection', async () => {
    const [url, caFile] = [await startStrict(), join(folder, 'ca.pem')];
    copyFileSync(authorityFile, caFile);
    const connection = await open({ url, tlsCaFile: caFile, ...identity });
    copyFileSync(fileOf('renewed.pem'), caFile);
    const late = connection.subscriber();
    closing.push(() => late.disconnect());
    const refused = new Promise<Error>((resolve) => late.once('error', resolve));
    late.connect().catch(() => undefined);
    expect(await refused).toMatchObject({ message: expect.stringMatching(/unable to verify|self.signed/) as string });
    copyFileSync(authorityFile, caFile);
    await until(() => late.status === 'ready', 'it connects with the renewed authority');
  });

  it('reaches sentinels that speak TLS', async () => {
    const [port, redisUrl] = [await freePort(), await startStrict()];
    const file = join(folder, 'sentinel.conf');
    writeFileSync(
      file,
      [
        'port 0',
        `tls-port ${port}`,
        'tls-replication yes',
        `tls-ca-cert-file ${fileOf('renewed.pem')}`,
        `tls-cert-file ${fileOf('localhost.pem')}`,
        `tls-key-file ${fileOf('localhost-key.pem')}`,
        'tls-auth-clients yes',
        `sentinel monitor rookery 127.0.0.1 ${new URL(redisUrl).port} 1`,
        '',
      ].join('\n'),
    );
    const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    closing.push(() => sentinel.kill('SIGKILL'));
    const options = { url: `rediss+sentinel://localhost:${port}/rookery`, tlsCaFile: authorityFile, ...identity };
    await until(async () => canConnect(port), 'the sentinel listens');
    await expectServed({ ...options, sentinelTls: true });
    await expect(open(options)).rejects.toThrow('Set sentinelTls if they speak TLS');
  });

  it('reaches a Redis by its Unix socket', async () => {
    const path = join(folder, 'redis.sock');
    const redis = await TestRedis.start('--unixsocket', path);
    closing.push(() => redis.stop());
    await expectServed({ url: `redis+unix://${path}?db=0` });
    await expect(open({ url: `redis+unix://${join(folder, 'none.sock')}` })).rejects.toThrow(/ENOENT.*none\.sock/);
  });
});
