import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { instance } from '../support/push-app.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { HealthWatch } from './health-watch.js';
import { Latencies } from './latencies.js';
import { RealUsers } from './real-users.js';
import { hostileApp } from './rude/hostile-app.js';
import type { Attack } from './rude/attack.js';
import { allAttacks } from './rude/attacks/index.js';
import { RudeProcess } from './rude/rude-process.js';
import type { RudeFigures } from './rude/rude.js';
import { ServerUse } from './server-use.js';

/** How long the server holds webhooks of departures: short, for the sake of the test. */
const holdMs = 1000;
const lookMs = 100;
const quietMs = 2000;
const stormMs = 3500;
const lateMs = 10_000;

/** Limits so low that each attack reaches its own within seconds. Real users stay far below them. */
const limits = {
  subscriptions: 200,
  newChannelsPerMinute: 100,
  connectionsPerAddress: 40,
  newConnectionsPerAddress: 8,
  subscriptionsPerAddress: 1500,
  clientEventBytesPerUser: 65_536,
  messageMs: 2000,
  readProofMs: 2000,
  processInputBytes: 8_388_608,
  processQueuedBytes: 33_554_432,
  keptBytes: 8_388_608,
  processKeptBytes: 16_777_216,
};

const statefulServer = 'dist/simulation/stateful-server.mjs';

/** The server as it looks from outside while real users go on. */
export interface Phase {
  readonly latencies: Latencies;
  readonly slowestHealthMs: number;
  /** The most that was resident, in MB. */
  readonly maxRss: number;
  /** How many were busy with it, on average. */
  readonly cores: number;
}

/** A phase in which one attacks, and what that came up against. */
export interface Storm extends Phase {
  readonly met: RudeFigures;
}

/** A storm between two quiet phases. */
export interface Round {
  readonly before: Phase;
  readonly storm: Storm;
  readonly after: Phase;
}

/** A server with two apps: the users of one go on as ever, while its clients and the tenant of the other attack. */
export class Weather {
  private turns = 0;
  private quiet: Phase | undefined;
  private readonly use: ServerUse;

  private constructor(
    private readonly folder: string,
    private readonly receiver: WebhookReceiver,
    private readonly google: StandInFcm,
    private readonly rude: RudeProcess,
    readonly server: ServerProcess,
    private readonly health: HealthWatch,
    readonly users: RealUsers,
  ) {
    this.use = new ServerUse(server.pid);
  }

  /**
   * @param otherLimits in place of those that the attacks come up against
   * @param states the environment of a server that has states; without it, it has none
   */
  static async start(
    otherLimits: Partial<typeof limits> = {},
    states?: Readonly<Record<string, string>>,
  ): Promise<Weather> {
    await buildServer();
    if (states) await promisify(execFile)(process.execPath, ['scripts/stateful-server.mjs', '--build-only']);
    const folder = mkdtempSync(join(tmpdir(), 'rookery-weather-'));
    const [receiver, google, rude] = await Promise.all([WebhookReceiver.start(), standInFcm(), RudeProcess.start()]);
    const app = {
      ...testApp,
      subscriptionCount: true,
      clientEvents: true,
      history: [{ channels: 'history-*', events: 1000 }],
      webhooks: [{ url: receiver.url('/hook') }],
    };
    const hostile = {
      ...hostileApp,
      history: [{ channels: 'streamed-*', streams: true }],
      webhooks: [{ url: `http://127.0.0.1:${rude.endpointPort}/hook` }],
    };
    const config = {
      apps: [app, hostile],
      instances: [{ ...instance, fcm: google.credentials }],
      channels: { webhooks: { holdMs }, limits: { ...limits, ...otherLimits } },
      devices: { registrationsPerSecond: { address: 1 } },
    };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
    const environment = {
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
      ALLOW_PRIVATE_NETWORK: 'true',
      TRUST_PROXY: 'loopback',
    };
    const server = states
      ? ServerProcess.launch({ ...environment, ...states }, statefulServer)
      : ServerProcess.launch(environment);
    await server.listens();
    const hasStates = states !== undefined;
    const users = await RealUsers.start({ port: server.port, receiver, google, holdMs, hasStates });
    return new Weather(folder, receiver, google, rude, server, HealthWatch.start(server.url), users);
  }

  /** Somebody attacks; the quiet phase after it is the one before the next. */
  async round(name: string): Promise<Round> {
    const before = this.quiet ?? (await this.phase(quietMs));
    const storm = await this.storm(name, allAttacks[name]!);
    this.quiet = await this.phase(quietMs);
    await this.arrived(this.quiet);
    return { before, storm, after: this.quiet };
  }

  private async phase(ms: number): Promise<Phase> {
    const { users, health, use } = this;
    const latencies = (users.latencies = new Latencies());
    await health.slowestMs();
    const [beganAt, cpuBefore] = [performance.now(), use.cpuSeconds];
    let maxRss = 0;
    for (; performance.now() < beganAt + ms; await sleep(lookMs)) maxRss = Math.max(maxRss, use.rss);
    const cores = (use.cpuSeconds - cpuBefore) / ((performance.now() - beganAt) / 1000);
    const slowestHealthMs = await health.slowestMs();
    users.latencies = new Latencies();
    return { latencies, slowestHealthMs, maxRss, cores };
  }

  private async storm(name: string, { ms = stormMs }: Attack): Promise<Storm> {
    const before = await this.limitsReached();
    this.rude.begin(name, this.server.port, (this.turns += 1));
    const phase = await this.phase(ms);
    const met = { ...(await this.rude.end()) };
    for (const [limit, count] of Object.entries(await this.limitsReached()))
      if (count > (before[limit] ?? 0)) met[limit] = count - (before[limit] ?? 0);
    // What it has left behind would make the next phase less quiet.
    await this.arrived(phase);
    return { ...phase, met };
  }

  private async arrived({ latencies }: Phase): Promise<void> {
    await until(() => latencies.isComplete, 'all of the phase has arrived', lateMs).catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.rude.stop();
    await this.users.stop();
    await this.health.stop();
    await this.server.stop();
    await this.google.close();
    await this.receiver.close();
    rmSync(this.folder, { recursive: true });
  }

  private async limitsReached(): Promise<Readonly<Record<string, number>>> {
    const metrics = await (await fetch(`${this.server.url}/metrics`)).text();
    const reached = metrics.matchAll(/limits_reached_total\{limit="(\w+)"\} ([1-9]\d*)/g);
    return Object.fromEntries(Array.from(reached, ([, limit, count]) => [limit!, Number(count)]));
  }
}
