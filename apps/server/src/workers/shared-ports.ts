import {
  type Announcement,
  type Broker,
  type BrokerMessage,
  InProcessBroker,
  leftBehindBy,
  MemoryChannelRepository,
  MemorySessionRepository,
  type Position,
  previousProcess,
  type SessionRepository,
} from 'rookery/internal/channels';
import { MemoryPresenceRepository } from 'rookery/presence';
import { primaryServices, workerServices } from './link-services.js';
import type { RemotePort } from './remote-port.js';
import * as remotePorts from './remote-ports.js';
import type { RpcLink } from './rpc-link.js';
import { ServedPages } from './served-pages.js';

/** The ports that keep events and sessions, if not in memory. */
export interface KeptPorts {
  readonly broker: Broker;
  readonly sessions: SessionRepository;
  /** What webhooks have announced of a process before this one that was killed. */
  readonly leftBehind?: readonly Announcement[];
}

/** All ports that may be given. */
interface GivenPorts extends KeptPorts {
  readonly channels: MemoryChannelRepository;
  readonly presence: MemoryPresenceRepository;
}

/**
 * The shared state of a machine's workers, in the memory of the process that started them: channels, rooms, rates, and
 * a broker that carries a message only to the workers that have subscribed to its channel.
 */
export class SharedPorts {
  private readonly broker: Broker;
  private readonly sessions: SessionRepository;
  private readonly channels: MemoryChannelRepository;
  private readonly presence: MemoryPresenceRepository;
  /** Those that are always in memory. */
  private readonly inMemory = Object.values<RemotePort<object>>(remotePorts).flatMap(({ service, InMemory }) =>
    InMemory ? [{ service, port: new InMemory() }] : [],
  );
  private readonly topics = new Map<string, Set<RpcLink>>();
  private readonly topicsOf = new Map<RpcLink, Set<string>>();

  /** Whether {@link previousProcess} holds something. */
  readonly hasLeftBehind: boolean;

  constructor({ broker, sessions, channels, presence, leftBehind = [] }: Partial<GivenPorts> = {}) {
    this.broker = broker ?? new InProcessBroker();
    this.sessions = sessions ?? new MemorySessionRepository();
    this.channels = channels ?? new MemoryChannelRepository();
    this.presence = presence ?? new MemoryPresenceRepository();
    this.hasLeftBehind = leftBehind.length > 0;
    const left = leftBehindBy(leftBehind);
    this.channels.announce(previousProcess, left.channels);
    this.presence.announce(previousProcess, left.members);
    this.broker.receive({
      message: (message, position) => this.carry(message, position),
      lost: () => {},
    });
  }

  /** Lets a worker call. */
  join(link: RpcLink): void {
    this.topicsOf.set(link, new Set());
    link.serve(primaryServices.broker, this.brokerFor(link));
    link.serve(primaryServices.channels, this.channels);
    link.serve(primaryServices.occupied, new ServedPages((appId, prefix) => this.channels.occupied(appId, prefix)));
    link.serve(primaryServices.keptSizes, new ServedPages(() => this.broker.keptSizes?.() ?? []));
    link.serve(primaryServices.presence, this.presence);
    link.serve(primaryServices.sessions, this.sessions);
    for (const { service, port } of this.inMemory) link.serve(service, port);
  }

  /** Stops sending to a worker that is gone. Another worker removes and reports its entries. */
  leave(link: RpcLink): void {
    for (const topic of this.topicsOf.get(link) ?? []) this.unsubscribe(link, topic);
    this.topicsOf.delete(link);
  }

  private brokerFor(link: RpcLink): Omit<Broker, 'receive'> {
    return {
      publish: (message, rememberSeconds) => this.broker.publish(message, rememberSeconds),
      recall: (appId, channel) => this.broker.recall(appId, channel),
      history: (appId, channel, limit, after) => this.broker.history(appId, channel, limit, after),
      subscribe: (appId, channel) => this.subscribe(link, topicOf(appId, channel)),
      unsubscribe: (appId, channel) => this.unsubscribe(link, topicOf(appId, channel)),
    };
  }

  private carry(message: BrokerMessage, position: Position): void {
    for (const link of this.topics.get(topicOf(message.appId, message.channel)) ?? [])
      link.notify(workerServices.receiver, 'message', message, position);
  }

  private subscribe(link: RpcLink, topic: string): void {
    let links = this.topics.get(topic);
    if (!links) this.topics.set(topic, (links = new Set()));
    links.add(link);
    this.topicsOf.get(link)?.add(topic);
  }

  private unsubscribe(link: RpcLink, topic: string): void {
    this.topicsOf.get(link)?.delete(topic);
    const links = this.topics.get(topic);
    links?.delete(link);
    if (links?.size === 0) this.topics.delete(topic);
  }
}

/** Unambiguous: no two pairs share a key. */
const topicOf = (appId: string, channel: string): string => `${appId.length} ${appId} ${channel}`;
