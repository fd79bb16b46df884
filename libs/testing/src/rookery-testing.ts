import { type INestApplication, type InjectionToken, Module } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { type AppConfig, Broker, ChannelsModule, ChannelsSettings } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule, PublishOutbox, PushGateways } from 'rookery/internal/publish';
import {
  DeviceRepository,
  DevicesService,
  type Instance,
  type Platform,
  PushDeviceModule,
  PushDeviceSettings,
} from 'rookery/push-device';
import { type RecordedEvent, recordedEvent } from './client/recorded-event.js';
import { TestClient, type TestClientOptions, type TestUser } from './client/test-client.js';
import { TestClock } from './clock/test-clock.js';
import { FakeApnsGateway } from './gateways/fake-apns.gateway.js';
import { FakeFcmGateway } from './gateways/fake-fcm.gateway.js';
import { FakeWebGateway } from './gateways/fake-web.gateway.js';
import { type Push, PushRecord } from './gateways/push-record.js';
import { type Imports, modulesAmong } from './modules-among.js';
import { testDevice } from './test-device.js';

/** The default app. */
export const testingApp: AppConfig = { id: 'app', key: 'key', secret: 'secret', clientEvents: true };

/** The default instance. */
export const testingInstance: Instance = { id: '11111111-1111-4111-8111-111111111111', secretKey: 'secret' };

/** Options of {@link RookeryTesting.start}. */
export interface RookeryTestingOptions {
  /** The platform, such as `new FastifyAdapter()`. @default Nest's own: Express */
  readonly adapter?: AbstractHttpAdapter;
  /** Overrides providers and guards: `(builder) => builder.overrideProvider(Mailer).useValue(silent)`. */
  readonly override?: (builder: TestingModuleBuilder) => unknown;
  /** What your `main.ts` does with the application before it listens: prefixes, pipes, adapters. */
  readonly prepare?: (app: INestApplication) => unknown;
}

/** A device to register. */
export interface TestDevice {
  /** @default 'fcm' */
  readonly platform?: Platform;
  /** @default a new one */
  readonly token?: string;
  readonly user?: string;
  readonly interests?: readonly string[];
}

@Module({})
class TestedModule {}

const everyModule = [PresenceModule, ChannelsModule, PushDeviceModule, PublishModule];

/**
 * A server in this process, on a free port of the loopback address, with the modules under test. Use it to test what
 * they send, to which receivers, and when: it pushes to fake gateways, records events and pushes, and has a clock that you can
 * advance.
 */
export class RookeryTesting {
  /** The fake gateways, by platform. */
  readonly gateways: {
    readonly apns: FakeApnsGateway;
    readonly fcm: FakeFcmGateway;
    readonly web: FakeWebGateway;
  };
  /** Every event that was sent to a channel, in order, with or without listeners. */
  readonly events: RecordedEvent[] = [];
  private readonly record = new PushRecord();
  private readonly clients = new Set<TestClient>();
  private running: INestApplication | undefined;

  private constructor(
    /** The time of this process. */
    readonly clock: TestClock,
  ) {
    const { record } = this;
    const [apns, fcm, web] = [new FakeApnsGateway(record), new FakeFcmGateway(record), new FakeWebGateway(record)];
    this.gateways = { apns, fcm, web };
  }

  /**
   * Starts an application with these modules. If none of Rookery's is among them and their imports, all four are added,
   * in memory, with {@link testingApp} and {@link testingInstance}. Close it afterwards.
   */
  static async start(imports: Imports = [], options: RookeryTestingOptions = {}): Promise<RookeryTesting> {
    const testing = new RookeryTesting(TestClock.install());
    try {
      await testing.listen(imports, options);
    } catch (error) {
      await testing.close();
      throw error;
    }
    return testing;
  }

  /** The Nest application. */
  get app(): INestApplication {
    if (!this.running) throw new Error('The application is not running');
    return this.running;
  }

  get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Every notification that was sent to a device, in order, whatever the gateway answered. */
  get pushes(): readonly Push[] {
    return this.record.pushes;
  }

  /** A provider of any module. */
  get<Provided>(token: InjectionToken<Provided>): Provided {
    return this.app.get<Provided>(token, { strict: false });
  }

  /** Connects a client, and signs it in if a user is given. */
  async connect({
    user,
    ...options
  }: Partial<TestClientOptions> & { readonly user?: TestUser } = {}): Promise<TestClient> {
    const [{ path, apps }, url] = [this.get(ChannelsSettings), `ws://127.0.0.1:${this.port}`];
    const app = options.app ?? apps?.[0];
    if (!app) throw new Error('Name the app of the client, as in connect({ app: { key, secret } })');
    const client = await TestClient.connect({ url: url + path, ...options, app });
    this.clients.add(client);
    if (user) await client.signin(user);
    return client;
  }

  /** Registers a device of an instance, by default the first one. Returns its id and token. */
  async register(
    { platform = 'fcm', token, user, interests = [] }: TestDevice = {},
    instanceId = this.get(PushDeviceSettings).instances?.[0]?.id ?? '',
  ): Promise<{ readonly id: string; readonly token: string }> {
    const devices = this.get(DevicesService);
    const registration = testDevice(platform, token);
    const { id } = await devices.register(instanceId, registration);
    const path = { instanceId, platform, id };
    if (interests.length > 0) await devices.setInterests(path, new Set(interests));
    if (user !== undefined) await devices.setUser(path, user);
    return { id, token: registration.token };
  }

  /** Waits for everything in transit within this process, so that a test can assert what did not happen. */
  async settled(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.settled()));
    await this.clock.advance(0);
  }

  /** Clears recordings and the gateways' answers, for tests that share a server. */
  reset(): void {
    this.events.length = 0;
    this.record.pushes.length = 0;
    for (const gateway of Object.values(this.gateways)) gateway.reset();
  }

  /** Closes clients and application, and removes the clock. */
  async close(): Promise<void> {
    await Promise.all([...this.clients].map((client) => client.close()));
    await this.running?.close();
    this.running = undefined;
    this.clock.uninstall();
  }

  private async listen(imports: Imports, { adapter, override, prepare }: RookeryTestingOptions): Promise<void> {
    const { apns, fcm, web } = this.gateways;
    const module = { module: TestedModule, imports: await withRookery(imports) };
    const builder = Test.createTestingModule({ imports: [module] });
    builder.overrideProvider(PushGateways).useValue(new PushGateways([apns, fcm, web]));
    override?.(builder);
    const compiled = await builder.compile();
    const settings = { rawBody: true };
    this.running = adapter
      ? compiled.createNestApplication(adapter, settings)
      : compiled.createNestApplication(settings);
    await prepare?.(this.running);
    await this.running.init();
    this.recordAll();
    await this.running.listen(0, '127.0.0.1');
  }

  private recordAll(): void {
    const [devices, outbox, broker] = [this.find(DeviceRepository), this.find(PublishOutbox), this.find(Broker)];
    if (devices && outbox) this.record.stores = { devices, outbox };
    if (broker) this.listenTo(broker);
  }

  /** Everything sent to a channel passes the broker, the only place that sees the events of all channels. */
  private listenTo(broker: Broker): void {
    const publish = broker.publish.bind(broker);
    broker.publish = (message, rememberSeconds) => {
      if (message.kind === 'event' && !isReserved(message.channel))
        this.events.push(recordedEvent(message.text, message.except));
      return publish(message, rememberSeconds);
    };
  }

  private find<Provided>(token: InjectionToken<Provided>): Provided | undefined {
    try {
      return this.get(token);
    } catch {
      // The application lacks the module.
      return undefined;
    }
  }
}

/** A channel between servers. */
const isReserved = (channel: string): boolean => /^#(sessions|watchers)-/.test(channel);

async function withRookery(imports: Imports): Promise<Imports> {
  const modules = await modulesAmong(imports);
  if (everyModule.some((module) => modules.has(module))) return imports;
  return [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testingApp] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    ...imports,
  ];
}
