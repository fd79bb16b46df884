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
    // A repeated change is delivered once, so it may wait for Redis. Any other event would be delivered twice.
    if (isEvent && message.change)
      return (await this.redis.insist(publish, [base], args, { evenIncomplete: true })) as Position;
    return (await this.redis.run(publish, [base], args)) as Position;
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async recall(appId: string, channel: string): Promise<RememberedEvent | undefined> {
    const { base, name } = this.placeOf({ appId, channel });
    const [kept, leftMs] = (await this.redis.insist(recall, [`${base}remembered:${name}`])) as [string | null, number];
    if (kept === null || leftMs <= 0) return undefined;
    const end = kept.indexOf('\n');
    return { text: kept.slice(end + 1), position: kept.slice(0, end), ttlSeconds: Math.ceil(leftMs / 1000) };
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async history(appId: string, channel: string, limit: number, after?: Position): Promise<HistoryPage> {
    const { base, name } = this.placeOf({ appId, channel });
    const keys = [`${base}version`, `${base}history:${name}`, `${base}history-latest:${name}`, `${base}history-epoch`];
    // Positions from other brokers are treated like expired ones.
    const from = after === undefined || /^\d{16}$/.test(after) ? (after ?? '') : '0'.repeat(16);
    const answer = await this.redis.insist(history, keys, [limit, from], { evenIncomplete: true });
    const [isComplete, now, entries] = answer as [0 | 1, string, [position: string, except: string, text: string][]];
    const events = entries.map(([position, except, text]): KeptEvent =>
      except === '' ? { position, text } : { position, text, except },
    );
    return { events, isComplete: isComplete === 1, now };
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  subscribe(appId: string, channel: string): Promise<void> {
    const topic = { appId, channel };
    const { base, name, partition } = this.placeOf(topic);
    return this.subscriptions.add({ topic, name: `${base}topic:${name}`, partition });
  }

  unsubscribe(appId: string, channel: string): void {
    const { base, name } = this.placeOf({ appId, channel });
    this.subscriptions.drop(`${base}topic:${name}`);
  }

  onApplicationShutdown(): void {
    this.subscriptions.close();
  }

  private arrived(topic: Topic, payload: string): void {
    const { message, position } = parseMessage(payload, topic);
    this.receiver?.message(message, position);
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
