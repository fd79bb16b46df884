import type { InjectionToken } from '@nestjs/common';
import type { FakeApnsGateway } from '../gateways/fake-apns.gateway.js';
import type { FakeFcmGateway } from '../gateways/fake-fcm.gateway.js';
import type { FakeWebGateway } from '../gateways/fake-web.gateway.js';
import type { Push } from '../gateways/push-record.js';
import { AuthorizationSettings } from 'rookery/authorization';
import { ChannelsSettings } from 'rookery/channels';
import { DevicesService, type Platform, PushDeviceSettings } from 'rookery/push-device';
import { testDevice } from '../test-device.js';
import { Pump } from './pump.js';
import { type Duration, millisecondsIn } from './duration.js';
import type { Random } from './random.js';
import { SimulatedClient, type SimulatedClientOptions } from './simulated-client.js';
import type { SimulatedCluster } from './simulated-cluster.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { SimulatedWebhook } from './simulated-receiver.js';
import type { World } from './world.js';

/** How long a test waits for something, in simulated milliseconds. */
const patienceMs = 60_000;
/** On average, between two faults of chaos. */
const betweenFaultsMs = 10_000;
const faults = { failover: 3, restart: 2, pause: 3, stall: 3, breakOff: 4 };

/** A provider, as the test calls it: in a process, and over simulated time. */
export type InProcess<Provided> = {
  readonly [Name in keyof Provided]: Provided[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Awaited<Answer>>
    : never;
};

/** What the test's view is made of. */
export interface SimulationParts {
  readonly world: World;
  readonly cluster: SimulatedCluster;
  readonly gateways: Simulation['gateways'];
  readonly pushes: readonly Push[];
  readonly webhooks: readonly SimulatedWebhook[];
}

/**
 * Processes of your module, their clients and what they share, in one process and in simulated time, which passes only
 * while the test waits for something here. The seed decides everything else.
 */
export class Simulation {
  /** The fake gateways of all processes, by platform. */
  readonly gateways: {
    readonly apns: FakeApnsGateway;
    readonly fcm: FakeFcmGateway;
    readonly web: FakeWebGateway;
  };
  /** Every notification that was sent to a device, in order. */
  readonly pushes: readonly Push[];
  /** Every webhook that was delivered, in order, each once. */
  readonly webhooks: readonly SimulatedWebhook[];
  /** For choices of the test: the same for a seed. */
  readonly random: Random;
  private readonly world: World;
  private readonly cluster: SimulatedCluster;
  private readonly pump: Pump;
  private readonly clients: SimulatedClient[] = [];

  /** @internal */
  constructor({ world, cluster, gateways, pushes, webhooks }: SimulationParts) {
    this.world = world;
    this.cluster = cluster;
    this.gateways = gateways;
    this.pushes = pushes;
    this.webhooks = webhooks;
    this.pump = new Pump(world);
    this.random = world.random('test');
  }

  /** Connects a client to one of the processes, and signs it in if it has a user. */
  async client(options: SimulatedClientOptions = {}): Promise<SimulatedClient> {
    const { world, pump, cluster } = this;
    const paths = this.any.find(AuthorizationSettings)?.paths;
    const app = options.app ?? this.any.get(ChannelsSettings).apps?.[0];
    if (!app) throw new Error('Name the app of the client, as in client({ app: { key, secret } })');
    const endpoints = { authEndpoint: paths?.channels, userAuthEndpoint: paths?.users };
    const parts = { world, pump, cluster, app, ...endpoints };
    const client = new SimulatedClient(parts, this.clients.length + 1, options);
    this.clients.push(client);
    await this.until(() => client.isConnected, 'the client connects');
    return client;
  }

  /** Registers a device of the first instance, with a user if one is given. */
  async register({ platform = 'fcm', user }: { readonly platform?: Platform; readonly user?: string } = {}) {
    const instanceId = this.any.get(PushDeviceSettings).instances?.[0]?.id ?? '';
    const devices = this.get(DevicesService);
    const registration = testDevice(platform);
    const { id } = await devices.register(instanceId, registration);
    if (user !== undefined) await devices.setUser({ instanceId, platform, id }, user);
    return { id, token: registration.token };
  }

  /**
   * A provider of your module, whose methods are called in a process.
   *
   * @param process its number. @default one that the seed chooses, for each call
   */
  get<Provided>(token: InjectionToken<Provided>, process?: number): InProcess<Provided> {
    const method =
      (name: string) =>
      (...args: readonly unknown[]): Promise<unknown> =>
        this.call(process === undefined ? this.any : this.cluster.process(process), token, name, args);
    // What is asked of it is checked by its type; it is no promise.
    return new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : method(String(name))) }) as never;
  }

  /** Lets time pass. */
  async run(duration: Duration): Promise<void> {
    await this.pump.until(() => false, millisecondsIn(duration));
  }

  /** Lets time pass until a condition holds. Throws if it does not within a simulated minute. */
  async until(isDone: () => boolean, what = 'the condition holds'): Promise<void> {
    await this.pump.expect(isDone, patienceMs, `Waited a simulated minute, and not yet: ${what}`);
  }

  /** Lets time pass until each client is connected, and its subscriptions are confirmed or refused. */
  async settled(): Promise<void> {
    await this.until(() => this.clients.every(({ isSettled }) => isSettled), 'each client is on its channels');
  }

  /** A process dies, and another takes its place: by default one with clients. Waits until they are on their channels. */
  async failover(process = this.busy): Promise<void> {
    this.kill(process);
    await this.start(process);
    // Its clients notice it later.
    await this.run('1 second');
    await this.settled();
  }

  /** A process dies at once, as with `kill -9`. Its clients connect to others. */
  kill(process: number): void {
    this.world.note(`process ${process} is killed`);
    this.cluster.kill(this.cluster.process(process));
  }

  /** Starts a process that was killed. */
  async start(process: number): Promise<void> {
    this.world.after(0, () => this.cluster.start(process), this.world.outside);
    await this.until(() => this.cluster.isRunning(process), `process ${process} runs`);
  }

  /** A process ends in good order, and is started again, as in a deployment. */
  async restart(process: number): Promise<void> {
    let hasEnded = false;
    this.cluster.stop(this.cluster.process(process), () => (hasEnded = true));
    await this.until(() => hasEnded, `process ${process} ends`);
    await this.start(process);
  }

  /** A process does nothing for a time, as during a long garbage collection; what is due then happens afterwards. */
  pause(process: number, duration: Duration): void {
    const { world } = this;
    const { party } = this.cluster.process(process);
    world.note(`process ${process} pauses for ${duration}`);
    world.pause(party);
    world.after(millisecondsIn(duration), () => world.resume(party), world.outside);
  }

  /**
   * Lets time pass in which the seed chooses faults: processes die, restart, pause, cannot reach what they share, and
   * connections break. Then all processes run again, and clients are on their channels.
   */
  async chaos(duration: Duration): Promise<void> {
    const { world } = this;
    const random = world.random('chaos');
    const end = world.now + millisecondsIn(duration);
    for (;;) {
      const quietMs = Math.min(random.below(2 * betweenFaultsMs), end - world.now);
      await this.pump.until(() => false, quietMs);
      if (world.now >= end) break;
      await this.fault(random);
    }
    for (let process = 1; process <= this.cluster.size; process++) await this.start(process);
    await this.run('1 second');
    await this.settled();
  }

  private get any(): SimulatedProcess {
    const process = this.cluster.choose(this.random);
    if (!process) throw new Error('No process is running');
    return process;
  }

  /** A process with clients, or any. */
  private get busy(): number {
    const { random } = this;
    const busy = this.clients.flatMap(({ process }) => process ?? []);
    return busy.length > 0 ? random.of(busy) : this.any.number;
  }

  private async fault(random: Random): Promise<void> {
    const kind = random.weighted(faults);
    const { cluster } = this;
    await this.until(() => cluster.serving.length > 0, 'a process runs');
    const process = random.of(cluster.serving);
    const durationMs = 100 + random.below(7900);
    this.world.note(`chaos: ${kind}`);
    switch (kind) {
      case 'failover':
        this.kill(process.number);
        this.world.after(durationMs, () => cluster.start(process.number), this.world.outside);
        return;
      case 'restart':
        return this.restart(process.number);
      case 'pause':
        return this.pause(process.number, `${durationMs} ms`);
      case 'stall':
        return process.link.stall(durationMs);
      case 'breakOff':
        return this.clients.length === 0 ? undefined : random.of(this.clients).breakOff();
      default:
        return kind satisfies never;
    }
  }

  private async call(process: SimulatedProcess, token: InjectionToken, name: string, args: readonly unknown[]) {
    const { world } = this;
    world.note(`the test calls ${name} in ${process.name}`);
    const answer: { settled?: () => unknown } = {};
    const work = async (): Promise<unknown> => {
      const provided = process.get<Readonly<Record<string, (...given: unknown[]) => unknown>>>(token);
      return provided[name]!(...args);
    };
    const called = (): void =>
      void work().then(
        (value) => (answer.settled = () => value),
        (error: unknown) =>
          (answer.settled = () => {
            throw error;
          }),
      );
    world.after(0, called, process.party);
    await this.until(() => answer.settled !== undefined || !process.isAlive, `${name} answers`);
    if (!answer.settled) throw new Error(`${process.name} died while the test waited for ${name}`);
    return answer.settled();
  }
}
