import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { ModuleMetadata } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  Apps,
  type ChannelAttributes,
  ChannelsModule,
  ChannelsService,
  ChannelsSettings,
  EventsService,
  MembersService,
  NodesService,
} from 'rookery/channels';
import { Listeners, WebhookSender } from '#webhooks';
import { JobStore } from 'rookery/jobs';
import { PresenceModule } from 'rookery/presence';
import type { RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { KeptBytes } from '../../libs/channels/src/events/kept-bytes.js';
import { WorkersModule } from '../../apps/server/src/workers/workers.module.js';
import { ProtocolError } from '../../libs/channels/src/protocol/protocol-error.js';
import { ConnectionsService } from '../../libs/channels/src/sockets/connections.service.js';
import { app, hasMembers, hostileApp, options } from './cluster-options.js';
import { RemoteJobStore } from './jobs.js';
import type { LimitsOfApp } from './limits/limits-of-app.js';
import { Party } from '../../libs/testing/src/simulation/party.js';
import type { Prepare } from './prepare.js';
import type { Receiver } from './receiver.js';
import { silent } from './silent.js';
import {
  SimulatedTransport,
  type ToClient,
  type ToNode,
} from '../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** What every node is made of. */
export interface ServingParts {
  readonly world: World;
  readonly receiver: Receiver;
  readonly prepare: Prepare;
  readonly limits: LimitsOfApp | undefined;
}

/** What a node is made of that shares a store in memory. */
export interface NodeParts extends ServingParts {
  /** To the store. */
  readonly link: RpcLink;
}

/** Where a connection comes from. */
export interface Origin {
  /** @default a private one, which is not counted */
  readonly address?: string;
  /** Of its app. @default that of the app of all who are not hostile */
  readonly key?: string;
}

/** A process of the server: the real modules, on what processes share. */
export abstract class ServingNode {
  readonly party: Party;
  isDraining = false;
  protected module: TestingModule | undefined;
  private readonly transports = new Set<SimulatedTransport>();
  /** The ends of connections that its clients hear of when it dies. */
  private readonly downs = new Set<Wire<ToClient>>();

  constructor(
    readonly name: string,
    private readonly parts: ServingParts,
  ) {
    this.party = new Party(name);
  }

  /** @param shared the modules of what processes share, and the queue of webhooks */
  protected async compile(shared: ModuleMetadata['imports'] = [], jobs: JobStore): Promise<TestingModule> {
    const { receiver, prepare, limits } = this.parts;
    const limited = limits && { maxConnections: limits.maxConnections, limits: ofApp(limits) };
    const apps = [{ ...app, ...limited }, hostileApp];
    const builder = Test.createTestingModule({
      imports: [
        ...shared,
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ ...options, apps, webhookOutbox: { useValue: jobs } }),
      ],
    })
      .overrideProvider(WebhookSender)
      .useFactory({
        inject: [JobStore, ChannelsSettings, Listeners],
        factory: (store: JobStore, { webhookSender }: ChannelsSettings, listeners: Listeners) =>
          new WebhookSender(store, webhookSender, listeners.beside(receiver.clientOf(this.party))),
      });
    const module = await prepare(builder.setLogger(silent)).compile();
    // A server that never listens: connections come over simulated transports.
    const server = createServer();
    const routes = { get: () => {}, post: () => {}, put: () => {}, delete: () => {} };
    module.get(HttpAdapterHost).httpAdapter = {
      ...routes,
      getType: () => 'none',
      getHttpServer: () => server,
    } as never;
    this.module = module;
    return module;
  }

  get isAlive(): boolean {
    return this.party.state !== 'dead';
  }

  /** Resolves when the event is accepted. */
  async trigger(channel: string, data: string, appId = app.id): Promise<void> {
    await this.get(EventsService).trigger(appId, { name: 'happened', channel, data });
  }

  /** Resolves when the member's new info is accepted. */
  async update(channel: string, user: string, info: string): Promise<void> {
    await this.get(MembersService).update(app.id, channel, user, info);
  }

  /** The channel as the HTTP API shows it. */
  async shown(channel: string): Promise<ChannelAttributes & { readonly users: readonly string[] }> {
    const served = (await this.get(Apps).findById(app.id))!;
    const channels = this.get(ChannelsService);
    if (!hasMembers(channel)) return { ...(await channels.state(served, channel, 'subscription_count')), users: [] };
    const state = await channels.state(served, channel, 'subscription_count,user_count');
    return { ...state, users: (await channels.users(served, channel)).users.map(({ id }) => id).toSorted() };
  }

  /** A client connects. @returns where its messages go */
  accept(session: string | undefined, down: Wire<ToClient>, origin: Origin = {}): (message: ToNode) => void {
    const transport = new SimulatedTransport(down, () => this.parts.world.now);
    this.downs.add(down);
    this.transports.add(transport);
    // It says itself why it cannot.
    void this.connect(session, transport, origin);
    return (message) => transport.take(message);
  }

  /** It ends at once, without a word; what it has sent arrives. */
  kill(): void {
    this.parts.world.kill(this.party);
    for (const down of this.downs) down.send({ kind: 'end' });
  }

  /** It ends in good order: resolves when its process would exit. */
  async drain(): Promise<void> {
    await this.module?.close();
  }

  private async connect(
    session: string | undefined,
    transport: SimulatedTransport,
    { address: remoteAddress, key = app.key }: Origin,
  ): Promise<void> {
    const connections = this.get(ConnectionsService);
    const request = { headers: {}, socket: { remoteAddress } } as IncomingMessage;
    const asked = { key, session, protocol: 7, refusal: undefined };
    const found = await connections.check(asked, request);
    if (found instanceof ProtocolError) transport.close(undefined, found.code ?? 1000);
    else transport.attach(connections.open(found, asked, transport, request));
  }

  protected get<Service>(token: abstract new (...args: never[]) => Service): Service {
    return this.module!.get<Service>(token, { strict: false });
  }
}

/** A process whose shared ports are at the other end of a simulated link. */
export class Node extends ServingNode {
  readonly link: RpcLink;
  private readonly world: World;

  constructor(name: string, parts: NodeParts) {
    super(name, parts);
    this.link = parts.link;
    this.world = parts.world;
  }

  /** Time stands still meanwhile. */
  async start(): Promise<void> {
    await this.world.standStill(this.party, async () => {
      const module = await this.compile([WorkersModule.forRoot(this.link)], new RemoteJobStore(this.link));
      // The store has nothing from before its nodes, and no answer comes while time stands still.
      this.get(KeptBytes).onApplicationBootstrap = () => Promise.resolve();
      await module.init();
    });
  }

  get nodes(): NodesService {
    return this.get(NodesService);
  }
}

const ofApp = ({ presenceMembers, triggersPerSecond }: LimitsOfApp) => ({ presenceMembers, triggersPerSecond });
