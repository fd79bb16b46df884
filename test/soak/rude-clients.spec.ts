import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Latencies, subjects, usualQuantile } from './latencies.js';
import { RealUsers } from './real-users.js';
import { RudeProcess } from './rude/rude-process.js';

const warmUpMs = 3000;
/** They alternate, so that whatever else the machine has to do in this time delays both. */
const rounds = 5;
const quietMs = 3000;
const rudeMs = 4500;
/** How long the server holds webhooks of departures: short, for the sake of the test. */
const holdMs = 1000;

/**
 * How much longer real users may wait beside rude clients. In CI, other tests keep both cores busy, and on a machine
 * without idle time any further load delays everything; there, the bound only finds what costs seconds.
 */
const maxTimes = process.env['CI'] === 'true' ? 10 : 3;
/**
 * Below these, in milliseconds, the scheduler decides how long something takes, and not the server: two cores run both
 * kinds of clients, the server and often other tests. No person notices them; a weakness of the server costs seconds.
 */
const noise = { median: 50, p95: 200 };
/** How much more memory the server may use, in MB: 10 MB of it may wait for clients that do not read. */
const maxGrowth = 200;

let folder: string;
let receiver: WebhookReceiver;
let google: StandInFcm;
let server: ServerProcess;
let rude: RudeProcess | undefined;

beforeAll(async () => {
  await buildServer();
  folder = mkdtempSync(join(tmpdir(), 'rookery-rude-'));
  receiver = await WebhookReceiver.start();
  google = await standInFcm();
  const app = {
    ...testApp,
    subscriptionCount: true,
    history: [{ channels: 'history-*', events: 1000 }],
    webhooks: [{ url: receiver.url('/hook') }],
  };
  const config = {
    apps: [app],
    instances: [{ ...instance, fcm: google.credentials }],
    // So low that clients which forge their address reach it.
    channels: { webhooks: { holdMs }, limits: { connectionsPerAddress: 60 } },
  };
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
  server = await ServerProcess.start({
    CONFIG_FILE: join(folder, 'rookery.json'),
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    ALLOW_PRIVATE_NETWORK: 'true',
    TRUST_PROXY: 'loopback',
  });
}, 180_000);
afterAll(async () => {
  await rude?.stop();
  await server?.stop();
  await google?.close();
  await receiver?.close();
  rmSync(folder, { recursive: true });
});

/** The server as it looks from outside, in the rounds of one kind. */
class Watched {
  readonly rounds: Latencies[] = [];
  maxRss = 0;
  slowestHealth = 0;

  /** Looks at it for a while, during which real users go on. */
  async round(users: RealUsers, ms: number): Promise<void> {
    const latencies = (users.latencies = new Latencies());
    this.rounds.push(latencies);
    for (const end = performance.now() + ms; performance.now() < end; await sleep(200)) await this.look();
    users.latencies = new Latencies();
  }

  figures(name: string): string {
    const ofSubject = subjects.map((subject) => {
      const [median, p95] = [0.5, 0.95].map((share) => usualQuantile(this.rounds, subject, share).toFixed(1));
      const count = this.rounds.reduce((sum, round) => sum + round.count(subject), 0);
      return `${subject} ${median}/${p95} ms (${count})`;
    });
    return `${name}: ${ofSubject.join(', ')}, health ${this.slowestHealth.toFixed(0)} ms, RSS ${this.maxRss.toFixed(0)} MB`;
  }

  private async look(): Promise<void> {
    const askedAt = performance.now();
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    this.slowestHealth = Math.max(this.slowestHealth, performance.now() - askedAt);
    const [, rss] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))!;
    this.maxRss = Math.max(this.maxRss, Number(rss) / 1024);
  }
}

async function limitsReached(): Promise<Readonly<Record<string, number>>> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const reached = metrics.matchAll(/limits_reached_total\{limit="(\w+)"\} ([1-9]\d*)/g);
  return Object.fromEntries(Array.from(reached, ([, limit, count]) => [limit, Number(count)]));
}

it('real users hardly notice rude clients, and miss nothing', { timeout: 120_000 }, async () => {
  const users = await RealUsers.start({ port: server.port, receiver, google, holdMs });
  rude = RudeProcess.start(server.port);
  await sleep(warmUpMs);
  const [quiet, beside] = [new Watched(), new Watched()];
  for (let round = 0; round < rounds; round++) {
    await quiet.round(users, quietMs);
    rude.order('go on');
    await beside.round(users, rudeMs);
    rude.order('pause');
    // What the rude clients have left behind would make the next round less quiet.
    await until(() => beside.rounds.at(-1)!.isComplete, 'all of the round has arrived', 10_000).catch(() => undefined);
  }
  await users.stop();
  const [figures, limits] = [await rude.figures(), await limitsReached()];
  const rudeFigures = JSON.stringify({ ...figures, limits });
  console.log(`${users.caused}, ${receiver.received.length} webhooks; rude clients: ${rudeFigures}`);
  console.log(`median/p95 ${quiet.figures('quiet')}\n           ${beside.figures('rude ')}`);
  expect(users.wrong.slice(0, 10)).toEqual([]);
  expect(Math.max(quiet.slowestHealth, beside.slowestHealth)).toBeLessThan(1000);
  for (const subject of subjects)
    for (const [share, floor] of [
      [0.5, noise.median],
      [0.95, noise.p95],
    ] as const)
      expect(usualQuantile(beside.rounds, subject, share), `${100 * share} % of ${subject}`).toBeLessThan(
        Math.max(maxTimes * usualQuantile(quiet.rounds, subject, share), floor),
      );
  expect(beside.maxRss).toBeLessThan(quiet.maxRss + maxGrowth);
  expect(Object.keys(limits)).toEqual(
    expect.arrayContaining(['refusalsPerSecond', 'queuedMs', 'connectionsPerAddress']),
  );
  expect(figures.refusedBodies).toBeGreaterThan(0);
});
