import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, TestCluster } from '../support/cluster.js';
import { freePort } from '../support/free-port.js';
import { describeInstalled, pathOf } from '../support/programs.js';
import { proxies } from '../support/proxies.js';
import { isRedisInstalled, TestRedis } from '../support/redis.js';
import { RestartedClient } from '../support/restarted-client.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { TriggerLoad } from '../support/trigger-load.js';
import { until } from '../support/until.js';

const clientCount = 60;
/** How long a process hands its clients over. */
const drainSeconds = 2;
/** Longer only where a new client takes long, too. */
const offChannelMs = 200;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

for (const { binary, file, run } of proxies)
  describeInstalled(binary)(`three processes behind ${binary}, with ops/proxies/several/${file}`, () => {
    const folder = mkdtempSync(join(tmpdir(), `rookery-rolling-${binary}-`));
    let redis: TestRedis;
    let cluster: TestCluster;
    let processes: ServerProcess[];
    let ports: readonly number[];
    let proxy: ChildProcess;
    let port: number;
    let clients: readonly RestartedClient[] = [];

    beforeAll(async () => {
      expect(isRedisInstalled()).toBe(true);
      await buildServer();
      redis = await TestRedis.start();
      const environment = { TRUST_PROXY: '127.0.0.1' };
      cluster = new TestCluster({ redisUrl: redis.url, file: { channels: { drainSeconds } }, environment });
      ports = await Promise.all([freePort(), freePort(), freePort()]);
      processes = [];
      for (const each of ports) processes.push(await cluster.add({ PORT: String(each) }));
      port = await freePort();
      const config = readFileSync(fileURLToPath(new URL(`../../ops/proxies/several/${file}`, import.meta.url)), 'utf8')
        .replaceAll(/127\.0\.0\.1:600(\d)/g, (_, n: string) => `127.0.0.1:${ports[Number(n) - 1]}`)
        .replace(/(listen |\*:|^:|bind :)80\b/m, `$1${port}`);
      proxy = spawn(pathOf(binary)!, run(config, folder), { stdio: 'ignore', env: { ...process.env, HOME: folder } });
      const answers = async () => (await fetch(`http://127.0.0.1:${port}/apps`).catch(() => undefined)) !== undefined;
      await until(answers, `${binary} listens`, 30_000);
    }, 240_000);
    afterAll(async () => {
      for (const client of clients) client.disconnect();
      proxy.kill('SIGTERM');
      await cluster.stop();
      // Apache waits for its health checks.
      const ended = () => proxy.exitCode !== null || proxy.signalCode !== null;
      if (!ended()) proxy.kill(binary === 'apache2' ? 'SIGKILL' : 'SIGTERM');
      await redis.stop();
      await until(ended, `${binary} has ended`, 10_000);
      rmSync(folder, { recursive: true, force: true });
    });

    it(`are restarted one by one: ${clientCount} clients of pusher-js lose no event, and each needs one more socket`, async () => {
      clients = Array.from({ length: clientCount }, () => new RestartedClient(app.key, port, 'news'));
      await until(() => clients.every(({ isSubscribed }) => isSubscribed), 'all clients are there', 60_000);
      const load = new TriggerLoad({ port, app, channel: 'news', senders: 3, pauseMs: 30 });
      await until(() => clients.every(({ heard }) => heard.size > 3), 'all clients hear', 30_000);
      const offMs: number[] = [];
      const sockets: number[] = [];
      for (const [n, server] of processes.entries()) {
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
        cluster.processes.splice(cluster.processes.indexOf(server), 1);
        processes[n] = await cluster.add({ PORT: String(ports[n]) });
      }
      await load.stop();
      const last = load.accepted.at(-1)!;
      await until(() => clients.every(({ heard }) => heard.has(last)), 'all clients hear the last event', 10_000);
      console.log(
        `${binary}: ${offMs.length} moves, off channel ${Math.round(median(offMs))} ms in the median and ` +
          `${Math.round(Math.max(...offMs))} ms at most, up to ${Math.max(...sockets)} sockets; ` +
          `${load.accepted.length} events accepted, ${load.refused.length} refused, ${load.unanswered.length} unanswered`,
      );
      const lost = clients.flatMap((client) => client.lostOf(load));
      expect(lost).toEqual([]);
      expect(offMs.length).toBeGreaterThan(clientCount / 2);
      expect(Math.max(...sockets)).toBe(2);
      const joinMs = median(clients.map(({ joinedAfterMs }) => joinedAfterMs));
      expect(median(offMs)).toBeLessThanOrEqual(Math.max(offChannelMs, 2 * joinMs));
    }, 240_000);
  });
