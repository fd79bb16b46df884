import { Injectable } from '@nestjs/common';
import type { Awaitable } from '#common';
import { Broker, type BrokerEvent, type Position, type Topic } from '../broker/broker.js';
import { ChannelFeed } from '../broker/channel-feed.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { WriteScheduler } from '../connections/write-scheduler.js';
import type { ChannelChanges } from '../frames/channel-changes.js';
import { Frame, type OnSent } from '../frames/frame.js';
import type { AlreadySent } from '../frames/known-frames.js';
import { ChannelsMetrics } from '../metrics.js';
import type { ChannelObserver } from './channel-observer.js';
import { ChannelSubscribers } from './channel-subscribers.js';

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
  private readonly observers: ChannelObserver[] = [];

  constructor(
    private readonly broker: Broker,
    private readonly metrics: ChannelsMetrics,
    private readonly settings: ChannelsSettings,
  ) {
    metrics.showSubscriptions(() => this.channels());
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
    return subscribers.feed.open();
  }

  /** Whether the message at this position is being kept for the connection. */
  isPending(connection: Connection, channel: string, position: Position): boolean {
    return this.find(connection.app.id, channel)?.isPending(connection, position) ?? false;
  }

  /** Delivers the kept messages that the connection lacks; from now on it receives messages as they are published. */
  release(connection: Connection, channel: string, known: AlreadySent = {}): void {
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
    return subscribers.feed.close();
  }

  /**
   * Delivers an event to its channel's connections.
   * @param onSent called for each connection, directly after it was sent the event
   */
  deliver(event: BrokerEvent, position: Position, onSent?: OnSent): void {
    const subscribers = this.find(event.appId, event.channel);
    if (!subscribers) return;
    subscribers.publish(new Frame(event, position, onSent));
    for (const observer of this.observers) observer.delivered?.(event, position, subscribers.size);
  }

  /** Whether a channel has connections in this process, including those about to join. */
  has(appId: string, channel: string): boolean {
    return this.find(appId, channel) !== undefined;
  }

  /** The number of connections on a channel. */
  count(appId: string, channel: string): number {
    return this.find(appId, channel)?.size ?? 0;
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

  /** What the channel's connections in this process were sent of changes to its shared state. */
  changesOf({ appId, channel }: Topic): ChannelChanges | undefined {
    return this.find(appId, channel)?.changes;
  }

  /** Messages of the channels may have been lost on their way to this process. */
  lost(topics: readonly Topic[]): void {
    for (const topic of topics)
      if (this.has(topic.appId, topic.channel)) for (const observer of this.observers) observer.lost?.(topic);
  }

  /** The channels with connections in this process; `size` does not count those about to join. */
  *channels(): Generator<Topic & { readonly size: number }> {
    for (const [appId, channels] of this.apps)
      for (const [channel, { size }] of channels) yield { appId, channel, size };
  }

  private find(appId: string, channel: string): ChannelSubscribers | undefined {
    return this.apps.get(appId)?.get(channel);
  }

  private open(appId: string, channel: string): ChannelSubscribers {
    let channels = this.apps.get(appId);
    if (!channels) this.apps.set(appId, (channels = new Map()));
    const subscribers = new ChannelSubscribers(
      channel,
      new ChannelFeed(this.broker, { appId, channel }),
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
