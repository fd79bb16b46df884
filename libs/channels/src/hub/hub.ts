import { Injectable, Logger } from '@nestjs/common';
import type { Awaitable } from '#common';
import type { Roster } from 'rookery/presence';
import { Broker, type BrokerEvent, type MemberChange, type Position, type Topic } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { WriteScheduler } from '../connections/write-scheduler.js';
import { ChannelsMetrics, type SubscriptionFigures } from '../metrics.js';
import { accessOf } from '../protocol/channel-name.js';
import type { ChannelObserver } from './channel-observer.js';
import { ChannelSubscribers } from './channel-subscribers.js';
import { Frame } from './frame.js';
import type { Known } from './known-frames.js';
import { LostTopics } from './lost-topics.js';

/** The position of events outside of the channel's order: after all others. */
const unplaced: Position = '~';

/**
 * The connections and subscriptions of this process. Every event of a channel arrives here through the broker, even
 * with a single process.
 */
@Injectable()
export class Hub {
  readonly writes = new WriteScheduler();
  readonly connections = new Set<Connection>();
  private readonly apps = new Map<string, Map<string, ChannelSubscribers>>();
  private readonly lostTopics = new LostTopics(new Logger('Channels'));
  private readonly observers: ChannelObserver[] = [];

  constructor(
    private readonly broker: Broker,
    private readonly metrics: ChannelsMetrics,
    private readonly settings: ChannelsSettings,
  ) {
    metrics.showSubscriptions(() => this.figures());
  }

  observe(observer: ChannelObserver): void {
    this.observers.push(observer);
  }

  /**
   * From now on, messages published on the channel are kept for the connection, until {@link release} delivers or
   * {@link leave} drops them. Resolves when the channel's messages reach this process.
   */
  prepare(connection: Connection, channel: string): Awaitable<void> {
    const appId = connection.app.id;
    const subscribers = this.find(appId, channel) ?? this.open(appId, channel);
    subscribers.prepare(connection);
    return this.subscribe(subscribers, appId, channel);
  }

  /** Whether the message at this position is being kept for the connection. */
  isPending(connection: Connection, channel: string, position: Position): boolean {
    return this.find(connection.app.id, channel)?.isPending(connection, position) ?? false;
  }

  /** Delivers the kept messages that the connection lacks; from now on it receives messages as they are published. */
  release(connection: Connection, channel: string, known: Known = {}): void {
    this.find(connection.app.id, channel)?.release(connection, known);
  }

  /** {@link prepare} and {@link release} in one step, for when no confirmation has to come first. */
  join(connection: Connection, channel: string): Awaitable<void> {
    const ready = this.prepare(connection, channel);
    this.release(connection, channel);
    return ready;
  }

  /** Does nothing for a connection that is not on the channel. */
  leave(connection: Connection, channel: string): Awaitable<void> {
    const appId = connection.app.id;
    const subscribers = this.find(appId, channel);
    if (!subscribers?.delete(connection) || !subscribers.isEmpty) return;
    this.close(appId, channel);
    return this.broker.unsubscribe(appId, channel);
  }

  /**
   * Delivers an event to its channel's connections.
   * @param handled called for each client that reports that it has handled the event; without it, clients are not asked
   */
  deliver(event: BrokerEvent, position: Position, handled?: () => void): void {
    const subscribers = this.find(event.appId, event.channel);
    if (!subscribers) return;
    subscribers.publish(new Frame(event, position, handled));
    for (const observer of this.observers) observer.delivered?.(event, position, subscribers.size);
  }

  /** Whether a channel has connections in this process, including those about to join. */
  has(appId: string, channel: string): boolean {
    return this.find(appId, channel) !== undefined;
  }

  /** The connections on a channel, including those about to join. */
  on({ appId, channel }: Topic): Iterable<Connection> {
    return this.find(appId, channel) ?? [];
  }

  /** For when the broker is unreachable: delivers an event only to the connections of this process. */
  deliverHere({ kind, appId, channel, text, except, change }: BrokerEvent): void {
    const event = { kind, appId, channel, text, ...(except !== undefined && { except }), ...(change && { change }) };
    this.deliver(event, unplaced);
  }

  /** The members of a channel, as sent to one of its subscribers in this process. */
  learn(appId: string, channel: string, roster: Roster): void {
    this.find(appId, channel)?.members.learn(roster);
  }

  /** The changes of a channel's roster that its subscribers in this process lack because messages were lost. */
  missingChanges(appId: string, channel: string, roster: Roster): readonly MemberChange[] {
    return this.find(appId, channel)?.members.missingChanges(roster) ?? [];
  }

  /** The channels that may have lost messages since the last call. */
  takeLost(): readonly Topic[] {
    return this.lostTopics.take().filter(({ appId, channel }) => this.has(appId, channel));
  }

  /** The next {@link takeLost} answers all channels: rosters and counts that were sent may have lacked entries. */
  recheckAll(): void {
    for (const [appId, channels] of this.apps)
      for (const channel of channels.keys()) this.lostTopics.add({ appId, channel });
  }

  lost(topics: readonly Topic[]): void {
    const touched = topics.filter(({ appId, channel }) => this.has(appId, channel));
    for (const topic of touched) this.lostTopics.add(topic);
    if (touched.length === 0) return;
    for (const topic of touched) for (const observer of this.observers) observer.lost?.(topic);
    this.metrics.gaps.inc(touched.length);
    this.lostTopics.log(touched.length);
  }

  /** Counted by the kinds of channels; reserved channels are left out. */
  figures(): readonly SubscriptionFigures[] {
    const all = new Map<string, SubscriptionFigures>();
    for (const channels of this.apps.values())
      for (const [name, { size }] of channels) {
        if (name.startsWith('#')) continue;
        const access = accessOf(name);
        const { channels: others, subscriptions } = all.get(access) ?? { channels: 0, subscriptions: 0 };
        all.set(access, { access, channels: others + 1, subscriptions: subscriptions + size });
      }
    return [...all.values()];
  }

  /** Waits for the broker to deliver the channel. If the call in progress fails, a waiting caller makes the next. */
  private subscribe(subscribers: ChannelSubscribers, appId: string, channel: string): Awaitable<void> {
    // All connections may have left during the wait.
    if (subscribers.isReady || this.find(appId, channel) !== subscribers) return;
    const { subscribing } = subscribers;
    if (subscribing) return subscribing.catch(() => undefined).then(() => this.subscribe(subscribers, appId, channel));
    const called = this.broker.subscribe(appId, channel);
    if (!(called instanceof Promise)) {
      subscribers.isReady = true;
      return;
    }
    subscribers.subscribing = called
      .then(() => void (subscribers.isReady = true))
      .finally(() => (subscribers.subscribing = undefined));
    return subscribers.subscribing;
  }

  private find(appId: string, channel: string): ChannelSubscribers | undefined {
    return this.apps.get(appId)?.get(channel);
  }

  private open(appId: string, channel: string): ChannelSubscribers {
    let channels = this.apps.get(appId);
    if (!channels) this.apps.set(appId, (channels = new Map()));
    const subscribers = new ChannelSubscribers(
      channel,
      this.observers,
      this.writes,
      this.settings.limits.queuedBytes,
      this.metrics.of(appId),
    );
    channels.set(channel, subscribers);
    return subscribers;
  }

  private close(appId: string, channel: string): void {
    const channels = this.apps.get(appId);
    channels?.delete(channel);
    if (channels?.size === 0) this.apps.delete(appId);
    for (const observer of this.observers) observer.closed?.({ appId, channel });
  }
}
