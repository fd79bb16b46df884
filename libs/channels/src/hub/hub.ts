import { Injectable } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import { Broker, type BrokerMessage } from '../broker/broker.js';
import { ChannelSubscribers } from './channel-subscribers.js';
import { ChannelsSettings } from '../channels.options.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import type { Connection } from '../connections/connection.js';
import { WriteScheduler } from '../connections/write-scheduler.js';

/**
 * The connections and subscriptions of this process. Everything that is sent to a channel reaches it through the
 * broker, even in one process.
 */
@Injectable()
export class Hub {
  readonly writes = new WriteScheduler();
  readonly connections = new Set<Connection>();
  private readonly apps = new Map<string, Map<string, ChannelSubscribers>>();

  constructor(
    private readonly broker: Broker,
    private readonly settings: ChannelsSettings,
  ) {
    broker.receive((message) => this.deliver(message));
  }

  /**
   * From now on what is published on the channel is kept for the connection, until {@link release} passes it on or
   * {@link leave} drops it. Settles when the channel's messages reach this process.
   */
  hold(connection: Connection, channel: string): Awaitable<void> {
    const appId = connection.app.id;
    const known = this.find(appId, channel);
    const subscribers = known ?? this.open(appId, channel);
    subscribers.hold(connection);
    if (!known) subscribers.ready = this.broker.subscribe(appId, channel);
    return subscribers.ready;
  }

  /** Whether the very frame is kept for the connection. */
  holds(connection: Connection, channel: string, frame: Buffer): boolean {
    return this.find(connection.app.id, channel)?.holds(connection, frame) ?? false;
  }

  /** Passes on what was kept; from now on the connection gets what is published. */
  release(connection: Connection, channel: string): void {
    this.find(connection.app.id, channel)?.release(connection);
  }

  /** {@link hold} and {@link release} at once, where nothing has to be said first. */
  join(connection: Connection, channel: string): Awaitable<void> {
    const ready = this.hold(connection, channel);
    this.release(connection, channel);
    return ready;
  }

  /** Harmless for a connection that is not there. */
  leave(connection: Connection, channel: string): Awaitable<void> {
    const appId = connection.app.id;
    const subscribers = this.find(appId, channel);
    if (!subscribers?.delete(connection) || !subscribers.isEmpty) return;
    this.close(appId, channel);
    return this.broker.unsubscribe(appId, channel);
  }

  private deliver(message: BrokerMessage): void {
    const subscribers = this.find(message.appId, message.channel);
    if (!subscribers) return;
    switch (message.kind) {
      case 'frame':
        return subscribers.publish(message.frame, message.except);
      case 'terminate':
        for (const connection of subscribers) connection.close(ProtocolError.terminated());
        return;
      default:
        message satisfies never;
    }
  }

  private find(appId: string, channel: string): ChannelSubscribers | undefined {
    return this.apps.get(appId)?.get(channel);
  }

  private open(appId: string, channel: string): ChannelSubscribers {
    let channels = this.apps.get(appId);
    if (!channels) this.apps.set(appId, (channels = new Map()));
    const subscribers = new ChannelSubscribers(this.writes, this.settings.limits.queuedBytes);
    channels.set(channel, subscribers);
    return subscribers;
  }

  private close(appId: string, channel: string): void {
    const channels = this.apps.get(appId);
    channels?.delete(channel);
    if (channels?.size === 0) this.apps.delete(appId);
  }
}
