import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  Broker,
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  type KeptEvent,
  type Position,
  type RememberedEvent,
  type StoreRoom,
  type Topic,
} from 'rookery/channels';
import { headOf, parseMessage, positionOf } from 'rookery/internal/channels';
import { integer, list, text } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import type { Script } from '../connection/script.js';
import { nameOf, partitionOf } from '../keys.js';
import { roomIn } from './redis-room.js';
import { history, passTo, publishTo, recall } from './scripts.js';
import { Subscriptions } from './subscriptions.js';

/** An operator may change the setting, and processes come and go. */
const askForRoomEveryMs = 1000;

/**
 * Uses Redis's sharded pub/sub: each channel is a topic, and only processes with a subscriber listen to it. A trigger
 * is one command per channel, pipelined with others, and wakes only the processes with subscribers.
 */
@Injectable()
export class RedisBroker extends Broker implements OnApplicationBootstrap, OnApplicationShutdown {
  static readonly port = Broker;

  private receiver: BrokerReceiver | undefined;
  private readonly subscriptions: Subscriptions;
  private readonly publishing: Script;
  private readonly passing: Script;
  private askedForRoomAt = -Infinity;
  override room: StoreRoom | undefined = undefined;

  constructor(private readonly redis: RedisConnection) {
    super();
    this.publishing = publishTo(redis.keys.topics);
    this.passing = passTo(redis.keys.topics);
    this.subscriptions = new Subscriptions(redis, {
      message: (topic, payload) => this.arrived(topic, payload),
      lost: (topics) => this.receiver?.lost(topics),
    });
  }

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.askForRoom();
  }

  /** @throws Unavailable when Redis is away: the message may or may not have arrived; changes wait for Redis */
  async publish(message: BrokerMessage, rememberSeconds?: number): Promise<Position> {
    const { appId, channel } = message;
    const { base, name } = this.placeOf({ appId, channel });
    const isEvent = message.kind === 'event';
    const args = [name, isEvent ? message.text : ''];
    const head = headOf(message);
    const history = isEvent ? message.history : undefined;
    // What most messages lack comes last and is left out.
    if (head !== '' || rememberSeconds !== undefined || history) args.push(head);
    if (rememberSeconds !== undefined || history)
      args.push(rememberSeconds === undefined ? '' : String(Math.ceil(rememberSeconds * 1000)));
    if (history) {
      const { events, seconds, bytes } = history;
      args.push(...[events, Math.ceil(seconds * 1_000_000), bytes].map(String), (isEvent && message.except) || '');
    }
    const isKept = rememberSeconds !== undefined || history !== undefined;
    if (isKept && performance.now() - this.askedForRoomAt >= askForRoomEveryMs) void this.askForRoom();
    const script = isKept ? this.publishing : this.passing;
    const keys = [`${base}version`];
    if (rememberSeconds !== undefined) keys.push(`${base}remembered:${name}`);
    if (history) keys.push(`${base}history-epoch`, `${base}history:${name}`, `${base}history-latest:${name}`);
    // A repeated change is delivered once, so it may wait for Redis. Any other event would be delivered twice.
    if (isEvent && message.change) return text(await this.redis.insist(script, keys, args, { evenIncomplete: true }));
    return text(await this.redis.run(script, keys, args));
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async recall(appId: string, channel: string): Promise<RememberedEvent | undefined> {
    const { base, name } = this.placeOf({ appId, channel });
    const [found, ttl] = list(await this.redis.insist(recall, [`${base}remembered:${name}`]));
    const leftMs = integer(ttl);
    if (found === null || leftMs <= 0) return undefined;
    const kept = text(found);
    const position = positionOf(kept);
    if (position !== undefined)
      return { text: kept.slice(position.length + 1), position, ttlSeconds: Math.ceil(leftMs / 1000) };
    this.redis.dropped.drop('remembered event');
    return undefined;
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async history(appId: string, channel: string, limit: number, after?: Position): Promise<HistoryPage> {
    const { base, name } = this.placeOf({ appId, channel });
    const keys = [`${base}version`, `${base}history:${name}`, `${base}history-latest:${name}`, `${base}history-epoch`];
    // Positions from other brokers are treated like expired ones.
    const from = after === undefined || /^\d{16}$/.test(after) ? (after ?? '') : '0'.repeat(16);
    const answer = await this.redis.insist(history, keys, [limit, from], { evenIncomplete: true });
    const [isComplete, now, entries] = list(answer);
    const events = this.redis.dropped.readable('kept event', list(entries), keptOf);
    // Without one that was dropped, it has not every event.
    return { events, isComplete: isComplete === 1 && events.length === list(entries).length, now: text(now) };
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  subscribe(appId: string, channel: string): Promise<void> {
    const topic = { appId, channel };
    const { base, name, partition } = this.placeOf(topic);
    return this.subscriptions.add({ topic, name: this.topicOf(base, name), partition });
  }

  unsubscribe(appId: string, channel: string): void {
    const { base, name } = this.placeOf({ appId, channel });
    this.subscriptions.drop(this.topicOf(base, name));
  }

  onApplicationShutdown(): void {
    this.subscriptions.close();
  }

  /** While Redis is away, which its connection logs, the last answer holds. */
  private async askForRoom(): Promise<void> {
    this.askedForRoomAt = performance.now();
    this.room = await roomIn(this.redis).catch(() => this.room);
  }

  private arrived(topic: Topic, payload: string): void {
    const parsed = parseMessage(payload, topic);
    if (parsed) this.receiver?.message(parsed.message, parsed.position);
    else this.redis.dropped.drop('message');
  }

  private topicOf(base: string, name: string): string {
    return `${base}${this.redis.keys.topics}${name}`;
  }

  /** A channel's name in the keys, and its partition with the prefix of that partition's keys. */
  private placeOf({ appId, channel }: Topic): {
    readonly name: string;
    readonly partition: number;
    readonly base: string;
  } {
    const name = nameOf(appId, channel);
    const partition = partitionOf(name);
    return { name, partition, base: this.redis.keys.in(partition) };
  }
}

function keptOf(entry: unknown): KeptEvent {
  const [position, except, event] = list(entry);
  const kept = { position: text(position), text: text(event) };
  return except === '' ? kept : { ...kept, except: text(except) };
}
