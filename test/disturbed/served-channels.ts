import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { LoggerService, Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { vi } from 'vitest';
import { ThisNode } from '#common';
import { Listeners, type WebhookDelivery, WebhookSender } from '#webhooks';
import { MemoryPresenceRepository, PresenceModule, PresenceRepository } from 'rookery/presence';
import {
  AnnouncementRepository,
  type App,
  type AppConfig,
  Broker,
  ChannelRepository,
  ChannelsModule,
  ConnectionsService,
  IdempotencyKeys,
  InProcessBroker,
  MemoryChannelRepository,
  MemoryIdempotencyKeys,
  MemorySessionRepository,
  NoAnnouncements,
  SessionRepository,
  signinText,
  subscriptionText,
  tokenFor,
} from 'rookery/internal/channels';
import { SimulatedTransport, type ToClient } from '../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { Disturbance } from './disturbed.js';

const silent: LoggerService = { log: () => {}, warn: () => {}, error: () => {} };

export const config = {
  id: 'app',
  key: 'k',
  secret: 's',
  subscriptionCount: true,
  watchlist: true,
  history: [{ channels: 'kept-*' }],
  webhooks: [{ url: 'https://hooks.example/' }],
} satisfies AppConfig;

/** A message to a client, with its data parsed. */
export interface ClientFrame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
}

/** An event of a webhook. */
export interface HookEvent {
  readonly name: string;
  readonly channel?: string;
  readonly user_id?: string;
}

/** The channels of one process, whose calls of shared state are disturbed; what others do goes past the disturbance. */
export class ServedChannels {
  readonly channels = new MemoryChannelRepository();
  readonly presence = new MemoryPresenceRepository();
  readonly sessions = new MemorySessionRepository();
  readonly keys = new MemoryIdempotencyKeys();
  readonly broker = new InProcessBroker();
  /** The events of webhooks, by the id of their webhook: one that is queued twice is sent once. */
  private readonly hooks = new Map<string, readonly HookEvent[]>();
  private module: TestingModule | undefined;

  /**
   * @param providers of the host, with its methods
   * @param announcements what webhooks have reported before
   */
  async start(
    disturbance: Disturbance,
    providers: readonly Provider[] = [],
    announcements: AnnouncementRepository = new NoAnnouncements(),
  ): Promise<this> {
    const { channels, presence, sessions, keys, broker } = this;
    const sender = {
      send: async (deliveries: readonly WebhookDelivery[]) => {
        for (const { id, body } of deliveries) {
          const told = JSON.parse(body) as HookEvent & { readonly events?: readonly HookEvent[] };
          this.hooks.set(id, told.events ?? [told]);
        }
        return { dropped: 0 };
      },
      lost: () => {},
      wake: () => {},
    };
    const port = disturbance.port.bind(disturbance);
    const calls = { calls: ['occupy', 'admit', 'dismiss', 'announce', 'takeOut', 'subscriptionCounts'] } as const;
    const module = await Test.createTestingModule({
      imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [config], sessions: { pingMs: 100 } })],
      providers: [...providers],
    })
      .overrideProvider(ChannelRepository)
      .useValue(port('channels', channels, calls.calls))
      .overrideProvider(PresenceRepository)
      .useValue(port('presence', presence, ['join', 'leave', 'update', 'roster', 'announce', 'takeOut']))
      .overrideProvider(SessionRepository)
      .useValue(port('sessions', sessions, ['open', 'save']))
      .overrideProvider(IdempotencyKeys)
      .useValue(port('keys', keys, ['claim', 'answer', 'release']))
      .overrideProvider(Broker)
      .useValue(port('broker', broker, ['publish', 'subscribe', 'unsubscribe', 'history', 'recall']))
      .overrideProvider(AnnouncementRepository)
      .useValue(
        announcements instanceof NoAnnouncements
          ? announcements
          : port('announcements', announcements, ['all', 'save']),
      )
      .overrideProvider(WebhookSender)
      .useValue(sender)
      .setLogger(silent)
      .compile();
    this.module = module;
    await module.init();
    for (const name of ['user_online', 'user_offline'])
      module.get(Listeners, { strict: false }).listen({ name, pattern: '*' }, name, () => {});
    return this;
  }

  get<Service>(token: abstract new (...args: never[]) => Service): Service {
    return this.module!.get<Service>(token, { strict: false });
  }

  get nodeId(): string {
    return this.get(ThisNode).id;
  }

  /** The events of webhooks, in their order. */
  get hookEvents(): readonly HookEvent[] {
    return [...this.hooks.values()].flat();
  }

  /** Their names. */
  get told(): readonly string[] {
    return this.hookEvents.map(({ name }) => name);
  }

  async stop(): Promise<void> {
    await this.module?.close();
  }
}

/** A client that was refused or closed. It tries again. */
class Refused extends Error {}

/** After how many turns without an answer time passes: more than a held call waits. */
const patience = 30;

/** A page in a browser: it returns with a new connection when its connection was closed, and continues its session. */
export class Page {
  readonly frames: ClientFrame[] = [];
  private socketId = '';
  private transport: SimulatedTransport | undefined;

  constructor(
    private readonly served: ServedChannels,
    private readonly session?: string,
  ) {}

  get isConnected(): boolean {
    return this.transport !== undefined;
  }

  async connect(): Promise<void> {
    if (this.transport) return;
    const connections = this.served.get(ConnectionsService);
    const request = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
    const asked = { key: config.key, session: this.session, protocol: 7, refusal: undefined };
    const wire = { send: (message: ToClient) => this.heard(transport, message) } as unknown as Wire<ToClient>;
    const transport = new SimulatedTransport(wire, () => Date.now());
    this.transport = transport;
    transport.attach(connections.open((await connections.check(asked, request)) as App, asked, transport, request));
    const { socket_id: id } = (await this.next('pusher:connection_established')) as { socket_id: string };
    this.socketId = id;
  }

  /** The connection ends, as when the network does. */
  async leave(): Promise<void> {
    this.transport?.take({ kind: 'end' });
    this.transport = undefined;
    await turns(10);
  }

  /** @throws Refused when it is refused, or the connection is closed */
  async subscribe(channel: string, member?: string): Promise<void> {
    await this.connect();
    const channelData = member === undefined ? undefined : JSON.stringify({ user_id: member });
    const isPublic = !/^(private|presence)-/.test(channel);
    const auth = isPublic ? undefined : tokenFor(config, subscriptionText(this.socketId, channel, channelData));
    const answered = this.next('pusher_internal:subscription_succeeded', channel);
    this.send('pusher:subscribe', { channel, auth, channel_data: channelData });
    await answered;
  }

  async unsubscribe(channel: string): Promise<void> {
    this.send('pusher:unsubscribe', { channel });
    await turns(10);
  }

  /** @throws Refused when it is refused, or the connection is closed */
  async signin(userId: string, watchlist: readonly string[] = []): Promise<void> {
    await this.connect();
    const userData = JSON.stringify({ id: userId, watchlist });
    const answered = this.next('pusher:signin_success');
    this.send('pusher:signin', { auth: tokenFor(config, signinText(this.socketId, userData)), user_data: userData });
    await answered;
  }

  send(event: string, data: object, channel?: string): void {
    this.transport?.take({ kind: 'text', text: JSON.stringify({ event, channel, data }) });
  }

  /** The data of the frame that comes next. @throws Refused when an error comes first, or the connection is closed */
  async next(event: string, channel?: string): Promise<unknown> {
    for (let from = this.frames.length, waits = 1; ; waits++) {
      for (; from < this.frames.length; from++) {
        const frame = this.frames[from]!;
        if (frame.event === event && (channel === undefined || frame.channel === channel)) return frame.data;
        if (frame.event === 'pusher:error' || frame.event === 'closed') throw new Refused(JSON.stringify(frame.data));
      }
      await turn();
      // What was not answered is repeated in a while.
      if (waits % patience === 0) await vi.advanceTimersByTimeAsync(100);
    }
  }

  private heard(transport: SimulatedTransport, message: ToClient): void {
    if (transport !== this.transport) return;
    if (message.kind === 'close' || message.kind === 'end') {
      this.transport = undefined;
      this.frames.push({ event: 'closed', data: message });
      setImmediate(() => transport.take({ kind: 'end' }));
    } else if (message.kind === 'ping') transport.take({ ...message, kind: 'pong' });
    else
      for (const text of message.texts) {
        const frame = JSON.parse(text) as { event: string; channel?: string; data?: string };
        if (frame.event === 'pusher:ping') setImmediate(() => this.send('pusher:pong', {}));
        else this.frames.push({ ...frame, data: frame.data === undefined ? undefined : parsed(frame.data) });
      }
  }
}

/** The members of a channel, as the page knows them. */
export function rosterOf({ frames }: Page, room: string): readonly string[] {
  const members = new Set<string>();
  for (const { event, channel, data } of frames) {
    if (channel !== room) continue;
    if (event === 'pusher_internal:subscription_succeeded') {
      members.clear();
      for (const id of (data as { presence: { ids: string[] } }).presence.ids) members.add(id);
    }
    if (event === 'pusher_internal:member_added') members.add((data as { user_id: string }).user_id);
    if (event === 'pusher_internal:member_removed') members.delete((data as { user_id: string }).user_id);
  }
  return [...members].toSorted();
}

/** Enough for what waits for nothing but its turn. */
export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn();
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
