import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, type ClusterSettings, TestCluster } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';

describeRedis('a process on Redis that is replaced', () => {
  story(async () => {
    const redis = await TestRedis.start();
    // It would hear of the other with its next heartbeat.
    const file = { redis: { heartbeatSeconds: 60, leaseSeconds: 180 } };
    return { settings: { redisUrl: redis.url, file }, stop: () => redis.stop() };
  });
});

describePostgres('a process on PostgreSQL that is replaced', () => {
  story(async () => ({
    settings: { environment: { DATABASE_URL: await newPostgresDatabase() } },
    stop: async () => {},
  }));
});

/** @param share - starts what they share */
function story(share: () => Promise<{ settings: ClusterSettings; stop: () => Promise<void> }>): void {
  let stop: (() => Promise<void>) | undefined;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    const shared = await share();
    stop = shared.stop;
    const { file } = shared.settings;
    cluster = new TestCluster({ ...shared.settings, file: { ...file, channels: { drainSeconds: 0 } } });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await stop?.();
  });

  it('has its clients reconnect at once, though the other has only just started', async () => {
    const old = await cluster.add();
    const client = await SocketClient.connect(old.port, app);
    await cluster.add();
    const stopped = old.stop();
    expect((await client.closing()).code).toBe(4200);
    expect(await stopped).toBe(0);
  });
}
