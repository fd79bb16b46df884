import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, TestCluster } from '../support/cluster.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';

describeRedis('a process on Redis that is replaced', () => {
  let redis: TestRedis;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    redis = await TestRedis.start();
    // It would hear of the other with its next heartbeat.
    cluster = new TestCluster({
      redisUrl: redis.url,
      file: { redis: { heartbeatSeconds: 60, leaseSeconds: 180 }, channels: { drainSeconds: 0 } },
    });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await redis.stop();
  });

  it('has its clients reconnect at once, though the other has only just started', async () => {
    const old = await cluster.add();
    const client = await SocketClient.connect(old.port, app);
    await cluster.add();
    const stopped = old.stop();
    expect((await client.closing()).code).toBe(4200);
    expect(await stopped).toBe(0);
  });
});
