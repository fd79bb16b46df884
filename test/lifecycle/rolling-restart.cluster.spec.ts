import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, type ClusterSettings } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeInstalled } from '../support/programs.js';
import { ProxiedCluster } from '../support/proxied-cluster.js';
import { proxies, type Proxy } from '../support/proxies.js';
import { isRedisInstalled, TestRedis } from '../support/redis.js';
import { RestartedClient } from '../support/restarted-client.js';
import { buildServer } from '../support/server-process.js';
import { TriggerLoad } from '../support/trigger-load.js';
import { until } from '../support/until.js';

const clientCount = 60;
/** How long a process hands its clients over. */
const drainSeconds = 2;
/** Longer only where a new client takes long, too. */
const offChannelMs = 200;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

for (const proxy of proxies)
  describeInstalled(proxy.binary)(
    `three processes behind ${proxy.binary}, with ops/proxies/several/${proxy.file}`,
    () => {
      stories(proxy, async () => {
        expect(isRedisInstalled()).toBe(true);
        const redis = await TestRedis.start();
        return { settings: { redisUrl: redis.url }, stop: () => redis.stop() };
      });
    },
  );

const [nginx] = proxies as readonly [Proxy];
describeInstalled(nginx.binary)('three processes behind nginx', () => {
  describePostgres('on one PostgreSQL, without Redis', () => {
    stories(nginx, async () => {
      const environment = { DATABASE_URL: await newPostgresDatabase() };
      return { settings: { environment }, stop: async () => {} };
    });
  });
});

/** @param share - starts what they share */
function stories(proxy: Proxy, share: () => Promise<{ settings: ClusterSettings; stop: () => Promise<void> }>): void {
  let stop: (() => Promise<void>) | undefined;
  let proxied: ProxiedCluster;
  let clients: readonly RestartedClient[] = [];

  beforeAll(async () => {
    await buildServer();
    const shared = await share();
    stop = shared.stop;
    proxied = await ProxiedCluster.start(proxy, { ...shared.settings, file: { channels: { drainSeconds } } });
  }, 240_000);
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await proxied.stop();
    await stop?.();
  });

  it(`are restarted one by one: ${clientCount} clients of pusher-js lose no event, and each needs one more socket`, async () => {
    clients = Array.from({ length: clientCount }, () => new RestartedClient(app.key, proxied.port, 'news'));
    await until(() => clients.every(({ isSubscribed }) => isSubscribed), 'all clients are there', 60_000);
    const load = new TriggerLoad({ port: proxied.port, app, channel: 'news', senders: 3, pauseMs: 30 });
    await until(() => clients.every(({ heard }) => heard.size > 3), 'all clients hear');
    const offMs: number[] = [];
    const sockets: number[] = [];
    for (const [n, server] of proxied.processes.entries()) {
      const before = clients.map((client) => ({ moves: client.absences.length, sockets: client.sockets }));
      expect(await server.stop()).toBe(0);
      const isBack = () => clients.every(({ isSubscribed }) => isSubscribed);
      await until(isBack, `all clients are back after process ${n + 1} has stopped`, 60_000);
      for (const [i, client] of clients.entries()) {
        const moved = client.absences.slice(before[i]!.moves);
        offMs.push(...moved.map(({ from, to }) => to - from));
        // The one that was closed, and the next.
        if (moved.length > 0) sockets.push(1 + client.sockets - before[i]!.sockets);
      }
      await proxied.replace(n);
    }
    await load.stop();
    const last = load.accepted.at(-1)!;
    await until(() => clients.every(({ heard }) => heard.has(last)), 'all clients hear the last event');
    console.log(
      `${proxy.binary}: ${offMs.length} moves, off channel ${Math.round(median(offMs))} ms in the median and ` +
        `${Math.round(Math.max(...offMs))} ms at most, up to ${Math.max(...sockets)} sockets; ` +
        `${load.accepted.length} events accepted, ${load.refused.length} refused, ${load.unanswered.length} unanswered`,
    );
    const lost = clients.flatMap((client) => client.lostOf(load, clients));
    expect(lost).toEqual([]);
    expect(offMs.length).toBeGreaterThan(clientCount / 2);
    expect(Math.max(...sockets)).toBe(2);
    const joinMs = median(clients.map(({ joinedAfterMs }) => joinedAfterMs));
    expect(median(offMs)).toBeLessThanOrEqual(Math.max(offChannelMs, 2 * joinMs));
  }, 240_000);
}
