import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  Broker,
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  type KeptEvent,
  type Position,
  type RememberedEvent,
  type Topic,
} from 'rookery/channels';
import { RedisConnection } from '../connection/redis.connection.js';
import { nameOf, partitionOf } from '../keys.js';
import { headOf, parseMessage } from './message-text.js';
import { history, publish, recall } from './scripts.js';
import { Subscriptions } from './subscriptions.js';

/**
 * Uses Redis's sharded pub/sub: each channel is a topic, and only processes with a subscriber listen to it. A trigger
 * is one command per channel, pipelined with others, and wakes only the processes with subscribers.
 */
@Injectable()
export class RedisBroker extends Broker implements OnApplicationShutdown {
  private receiver: BrokerReceiver | undefined;
  private readonly subscriptions: Subscriptions;

  constructor(private readonly redis: RedisConnection) {
    super();
    this.subscriptions = new Subscriptions(redis, {
      message: (topic, payload) => this.arrived(topic, payload),
      lost: (topics) => this.receiver?.lost(topics),
    });
  }

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  /** @throws Unavailable when Redis is away: the message may or may not have arrived; changes wait for Redis */
  async publish(message: BrokerMessage, rememberSeconds?: number): Promise<Position> {
    const { appId, channel } = message;
    const { topic, remembered, version, history: kept } = this.keysOf({ appId, channel });
    const text = message.kind === 'event' ? message.text : '';
    const milliseconds = rememberSeconds === undefined ? '' : Math.ceil(rememberSeconds * 1000);
    const keys = [version, topic, remembered];
    const args = [headOf(message), text, milliseconds];
    if (message.kind === 'event' && message.history) {
      const { events, seconds, bytes } = message.history;
      keys.push(...kept);
      args.push(events, Math.ceil(seconds * 1_000_000), bytes, message.except ?? '');
    }
    // A repeated change is delivered once, so it may wait for Redis. Any other event would be delivered twice.
    if (message.kind === 'event' && message.change)
      return (await this.redis.insist(publish, keys, args, { evenIncomplete: true })) as Position;
    return (await this.redis.run(publish, keys, args)) as Position;
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async recall(appId: string, channel: string): Promise<RememberedEvent | undefined> {
    const { remembered } = this.keysOf({ appId, channel });
    const [kept, leftMs] = (await this.redis.insist(recall, [remembered])) as [string | null, number];
    if (kept === null || leftMs <= 0) return undefined;
    const end = kept.indexOf('\n');
    return { text: kept.slice(end + 1), position: kept.slice(0, end), ttlSeconds: Math.ceil(leftMs / 1000) };
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async history(appId: string, channel: string, limit: number, after?: Position): Promise<HistoryPage> {
    const { version, history: kept } = this.keysOf({ appId, channel });
    // Positions from other brokers are treated like expired ones.
    const from = after === undefined || /^\d{16}$/.test(after) ? (after ?? '') : '0'.repeat(16);
    const answer = await this.redis.insist(history, [version, ...kept], [limit, from], { evenIncomplete: true });
    const [isComplete, now, entries] = answer as [0 | 1, string, [position: string, except: string, text: string][]];
    const events = entries.map(([position, except, text]): KeptEvent =>
      except === '' ? { position, text } : { position, text, except },
    );
    return { events, isComplete: isComplete === 1, now };
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  subscribe(appId: string, channel: string): Promise<void> {
    const topic = { appId, channel };
    const { topic: name, partition } = this.keysOf(topic);
    return this.subscriptions.add({ topic, name, partition });
  }

  unsubscribe(appId: string, channel: string): void {
    this.subscriptions.drop(this.keysOf({ appId, channel }).topic);
  }

  onApplicationShutdown(): void {
    this.subscriptions.close();
  }

  private arrived(topic: Topic, payload: string): void {
    const { message, position } = parseMessage(payload, topic);
    this.receiver?.message(message, position);
  }

  private keysOf({ appId, channel }: Topic) {
    const name = nameOf(appId, channel);
    const partition = partitionOf(name);
    const base = this.redis.keys.in(partition);
    return {
      partition,
      topic: `${base}topic:${name}`,
      remembered: `${base}remembered:${name}`,
      version: `${base}version`,
      history: [`${base}history:${name}`, `${base}history-latest:${name}`, `${base}history-epoch`],
    };
  }
}
