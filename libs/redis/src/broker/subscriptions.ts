import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Topic } from 'rookery/channels';
import { positionOf } from 'rookery/internal/channels';
import { Unavailable } from '#common';
import type { Address } from '../redis-url.js';
import type { RedisConnection } from '../connection/redis.connection.js';
import { Subscriber } from './subscriber.js';

/** Receives messages, and notices of possible loss. */
export interface Receiver {
  message(topic: Topic, payload: string): void;
  lost(topics: readonly Topic[]): void;
}

/** A channel's topic in Redis. */
export interface RedisTopic {
  readonly topic: Topic;
  readonly name: string;
  readonly partition: number;
}

interface Wanted extends RedisTopic {
  /** When it is dropped, once it is no longer wanted. */
  dropAt: number | undefined;
  /** The latest position received: during resharding, a message may arrive from both the old and the new node. */
  position: string;
}

/** The interval, in milliseconds, at which the new node of a slot is looked up. */
const followMs = 50;
const maxTries = 40;

type Nodes = ReadonlyMap<number, Address>;

/**
 * The topics that this process listens to in Redis. The wanted topics are kept here and compared regularly with those
 * Redis reports: connections break, partitions move between nodes, and Redis disconnects slow readers.
 */
export class Subscriptions {
  private readonly logger = new Logger('Redis');
  private readonly wanted = new Map<string, Wanted>();
  /** One per cluster node, by address, or a single one. */
  private readonly subscribers = new Map<string, Subscriber>();
  /** The node of each partition; undefined without a cluster. */
  private nodes: Promise<Nodes | undefined> | undefined;
  private readonly timers: readonly NodeJS.Timeout[];
  /** The count of demotions at which the connections for subscriptions were made. */
  private demotions = 0;
  /** How often a moved slot was reported. */
  private moves = 0;
  private isFollowing = false;
  private isClosed = false;

  constructor(
    private readonly redis: RedisConnection,
    private readonly receiver: Receiver,
  ) {
    const { heartbeatSeconds, lingerSeconds } = redis.settings;
    this.timers = [
      setInterval(() => void this.audit(), heartbeatSeconds * 1000).unref(),
      setInterval(() => this.dropDue(), Math.max(20, Math.min(1000, lingerSeconds * 500))).unref(),
    ];
    redis.onConnect(() => this.compare());
  }

  /**
   * Settles when messages published from now on arrive here.
   * @throws Unavailable when Redis is away for too long
   */
  async add(topic: RedisTopic): Promise<void> {
    const known = this.wanted.get(topic.name);
    if (known) known.dropAt = undefined;
    else this.wanted.set(topic.name, { ...topic, dropAt: undefined, position: '' });
    const until = performance.now() + this.redis.settings.outageSeconds * 1000;
    const subscriber = this.subscriberOf(topic.partition, await this.topology());
    await subscriber.add(topic.name, until);
  }

  /** Drops a topic a little later, unless it is wanted again by then. */
  drop(name: string): void {
    const wanted = this.wanted.get(name);
    if (wanted) wanted.dropAt ??= performance.now() + this.redis.settings.lingerSeconds * 1000;
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const subscriber of this.subscribers.values()) subscriber.close();
  }

  private subscriberOf(partition: number, nodes: Nodes | undefined): Subscriber {
    if (this.isClosed) throw new Unavailable('Redis');
    const node = nodes?.get(partition);
    const address = node ? `${node.host}:${node.port}` : '';
    let subscriber = this.subscribers.get(address);
    if (!subscriber) {
      subscriber = new Subscriber(this.redis.subscriber(node), {
        message: (name, payload) => this.arrived(name, payload),
        lost: (names) => this.lost(names),
        moved: () => void this.follow(),
        connected: () => this.compare(),
      });
      this.subscribers.set(address, subscriber);
    }
    return subscriber;
  }

  private topology(): Promise<Nodes | undefined> {
    this.nodes ??= this.redis.nodesOfPartitions().catch((error: unknown) => {
      this.nodes = undefined;
      throw error;
    });
    return this.nodes;
  }

  private arrived(name: string, payload: string): void {
    const wanted = this.wanted.get(name);
    if (!wanted) return;
    const position = positionOf(payload);
    if (position !== undefined) {
      if (position <= wanted.position) return;
      wanted.position = position;
    }
    this.receiver.message(wanted.topic, payload);
  }

  private lost(names: readonly string[]): void {
    const topics = names.flatMap((name) => {
      const wanted = this.wanted.get(name);
      if (!wanted || wanted.dropAt !== undefined) return [];
      // A replica promoted to master may start with a slightly earlier position.
      wanted.position = '';
      return [wanted.topic];
    });
    if (topics.length > 0) this.receiver.lost(topics);
  }

  /**
   * After a failover, commands and subscriptions may be at different servers, one of which is no longer the master:
   * then no message arrives. Both connections are replaced, and the subscribed topics are reported as lost.
   */
  private compare(): void {
    const subscriber = this.subscribers.get('');
    const [commandsAt, subscribedAt] = [this.redis.serverId, subscriber?.serverId];
    if (commandsAt === undefined || subscribedAt === undefined || commandsAt === subscribedAt) return;
    this.logger.warn('Commands and subscriptions are at different Redis servers: both connections are replaced');
    this.redis.reconnect();
    subscriber?.reconnect();
  }

  /** Finds out where a slot has moved; the node that answers may not know it yet. */
  private async follow(): Promise<void> {
    this.moves++;
    if (this.isFollowing) return;
    this.isFollowing = true;
    for (let left = maxTries; left > 0 && !this.isClosed; left--) {
      const { moves } = this;
      const hasMoved = await this.reassign();
      if (moves !== this.moves) left = maxTries;
      else if (hasMoved) break;
      await delay(followMs, undefined, { ref: false });
    }
    this.isFollowing = false;
  }

  /** Moves the wanted topics to the nodes that now own them. @returns whether any has moved */
  private async reassign(): Promise<boolean> {
    let hasMoved = false;
    try {
      const before = await this.topology();
      this.nodes = undefined;
      const now = await this.topology();
      for (const { name, partition } of this.wanted.values()) {
        const [old, node] = [before?.get(partition), now?.get(partition)];
        if (old?.host === node?.host && old?.port === node?.port) continue;
        this.subscriberOf(partition, before).remove(name);
        this.subscriberOf(partition, now).want(name, true);
        hasMoved = true;
      }
    } catch (error) {
      // The next audit tries again.
      this.logger.warn(`Cannot find out which Redis nodes own the keys: ${String(error)}`);
    }
    return hasMoved;
  }

  private async audit(): Promise<void> {
    if (this.wanted.size === 0) return;
    // When a cluster node is gone, its connection never comes back, and Redis sends no notice.
    if (await this.nodes?.catch(() => undefined)) await this.reassign();
    this.compare();
    // A replica accepts subscriptions, and receives its master's messages while connected to it.
    const { demotions } = this.redis;
    if (demotions !== this.demotions) for (const subscriber of this.subscribers.values()) subscriber.reconnect();
    this.demotions = demotions;
    await Promise.all(Array.from(this.subscribers.values(), (subscriber) => subscriber.audit()));
  }

  private dropDue(): void {
    const now = performance.now();
    for (const [name, { dropAt }] of this.wanted) {
      if (dropAt === undefined || dropAt > now) continue;
      this.wanted.delete(name);
      for (const subscriber of this.subscribers.values()) subscriber.remove(name);
    }
  }
}
