import type { INestApplication, InjectionToken } from '@nestjs/common';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { createServer, IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import {
  Broker,
  ChannelsSettings,
  ConnectionsService,
  HttpServers,
  NodesService,
  ProtocolError,
  SocketAuthorizer,
  ThisNode,
} from 'rookery/internal/channels';
import { Listeners, type WebhookClient, WebhookSender } from 'rookery/internal/webhooks';
import { JobStore } from 'rookery/jobs';
import { PublishSettings, PushGateways } from 'rookery/internal/publish';
import { Party } from './party.js';
import type { SharedState } from './shared-state.js';
import { SimulatedBroker } from './simulated-broker.js';
import { requestTo, type SimulatedRequest, type SimulatedResponse } from './simulated-request.js';
import { SimulatedTransport, type ToClient, type ToNode } from './simulated-transport.js';
import { StoreLink } from './store-link.js';
import type { Wire } from './wire.js';
import type { World } from './world.js';

/** What a process is made of. */
export interface ProcessParts {
  readonly world: World;
  readonly shared: SharedState;
  /** The host's module, with the overrides of the test. */
  readonly builder: () => TestingModuleBuilder;
  readonly create: (builder: TestingModuleBuilder) => Promise<INestApplication>;
  readonly gateways: PushGateways;
  /** The client with which a process posts webhooks. */
  readonly webhookClient: (party: Party) => Pick<WebhookClient, 'post' | 'close'>;
}

/** A client that connects. */
export interface Asking {
  readonly key: string;
  readonly session: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** One process of the host: its own modules, whose shared ports are at the other end of a simulated network. */
export class SimulatedProcess {
  readonly party: Party;
  readonly link: StoreLink;
  isDraining = false;
  private readonly broker: SimulatedBroker;
  private running: INestApplication | undefined;
  private readonly transports = new Set<SimulatedTransport>();
  /** Called when it dies: closes its clients. */
  private readonly ends = new Set<() => void>();

  constructor(
    readonly number: number,
    name: string,
    private readonly parts: ProcessParts,
  ) {
    const { world, shared } = parts;
    this.party = new Party(name);
    this.link = new StoreLink(world, this.party, shared.party);
    this.broker = new SimulatedBroker(shared.broker, this.link);
  }

  /** Time stands still meanwhile. */
  async start(): Promise<void> {
    const { world, builder, create } = this.parts;
    await world.standStill(this.party, async () => {
      this.running = await create(this.wired(builder()));
      await this.running.init();
      // Requests of the simulated network need no port.
      const servers = this.find(HttpServers);
      if (servers?.own) servers.attach(createServer());
      // Fastify completes its routes when it listens, or here.
      const platform = this.running.getHttpAdapter().getInstance() as { ready?: () => PromiseLike<unknown> };
      await platform.ready?.();
    });
    world.note(`${this.party.name} has started`);
  }

  get name(): string {
    return this.party.name;
  }

  get isAlive(): boolean {
    return this.party.state !== 'dead';
  }

  /** Whether clients can connect to it. */
  get isServing(): boolean {
    return this.isAlive && !this.isDraining;
  }

  get nodeId(): string {
    return this.get(ThisNode).id;
  }

  /** Whether the host authorizes on the socket itself. */
  get authorizesOnSocket(): boolean {
    return this.find(SocketAuthorizer)?.isOn ?? false;
  }

  others(count: number): void {
    this.get(ThisNode).others = count;
  }

  /** Takes out what a dead process held, and announces the changes. */
  takeOut(nodeId: string): Promise<void> {
    return this.get(NodesService).takeOut(nodeId);
  }

  /** A client connects. @returns where its messages go */
  accept(asking: Asking, down: Wire<ToClient>): (message: ToNode) => void {
    const transport = new SimulatedTransport(down, () => this.parts.world.now);
    this.transports.add(transport);
    this.ends.add(() => down.send({ kind: 'end' }));
    // The client is told why it cannot.
    void this.connect(asking, transport);
    return (message) => transport.take(message);
  }

  /** @throws when the process dies meanwhile */
  request(request: SimulatedRequest): Promise<SimulatedResponse> {
    const server = this.running!.getHttpServer() as Server;
    return requestTo(server, request);
  }

  /** @param end called when the process dies */
  onEnd(end: () => void): void {
    this.ends.add(end);
  }

  /** It ends at once, without a word; what it has sent arrives. */
  kill(): void {
    const { world, shared } = this.parts;
    world.kill(this.party);
    shared.broker.forget(this.broker);
    for (const end of this.ends) end();
  }

  /** It ends in good order: resolves when its process would exit. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await this.running?.close();
  }

  get<Provided>(token: InjectionToken<Provided>): Provided {
    return this.running!.get<Provided>(token, { strict: false });
  }

  find<Provided>(token: InjectionToken<Provided> | (abstract new () => Provided)): Provided | undefined {
    try {
      return this.get(token);
    } catch {
      // The host lacks the module.
      return undefined;
    }
  }

  /** Puts the ports of this process in the place of its own. */
  private wired(builder: TestingModuleBuilder): TestingModuleBuilder {
    const { shared, gateways, webhookClient } = this.parts;
    for (const [token, port] of shared.provided) builder.overrideProvider(token).useValue(this.link.remote(port));
    builder.overrideProvider(Broker).useValue(this.broker);
    const { channels, publish } = shared.webhooks;
    const queue = (settings?: PublishSettings): JobStore => this.link.remote(settings ? publish : channels);
    const client = webhookClient(this.party);
    const sender = (jobs: JobStore, listeners: Listeners, settings?: ChannelsSettings): WebhookSender =>
      new WebhookSender(jobs, settings?.webhookSender, listeners.beside(client));
    builder.overrideProvider(PushGateways).useValue(gateways);
    builder
      .overrideProvider(JobStore)
      .useFactory({ factory: queue, inject: [{ token: PublishSettings, optional: true }] as never });
    builder.overrideProvider(WebhookSender).useFactory({
      factory: sender,
      inject: [JobStore, Listeners, { token: ChannelsSettings, optional: true }] as never,
    });
    return builder;
  }

  private async connect({ key, session, headers }: Asking, transport: SimulatedTransport): Promise<void> {
    const connections = this.get(ConnectionsService);
    const url = `${this.get(ChannelsSettings).path}/app/${key}`;
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url, headers });
    const asked = { key, session, protocol: 7, refusal: undefined };
    const found = await connections.check(asked, request);
    if (found instanceof ProtocolError) transport.close(undefined, found.code ?? 1000);
    else transport.attach(connections.open(found, asked, transport, request));
  }
}
