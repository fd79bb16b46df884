import { Injectable } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import { Broker, type BrokerMessage } from './broker/broker.js';
import { ChannelSubscribers } from './channel-subscribers.js';
import { ProtocolError } from './protocol/protocol-error.js';
import type { Connection } from './sockets/connection.js';
import { WriteScheduler } from './sockets/write-scheduler.js';

/**
 * The connections and subscriptions of this process. Everything that is sent to a channel reaches it through the
 * broker, even in one process.
 */
@Injectable()
export class Hub {
  readonly writes = new WriteScheduler();
  readonly connections = new Set<Connection>();
  private readonly apps = new Map<string, Map<string, ChannelSubscribers>>();

  constructor(private readonly broker: Broker) {
    broker.receive((message) => this.deliver(message));
  }

  /** Makes the channel's messages reach this process; {@link join} follows, or {@link leave} if it came to nothing. */
  listen(appId: string, channel: string): Awaitable<void> {
    const subscribers = this.find(appId, channel) ?? this.open(appId, channel);
    if (subscribers.interested++ === 0) subscribers.ready = this.broker.subscribe(appId, channel);
    return subscribers.ready;
  }

  /** From now on the connection gets what is published on the channel. */
  join(connection: Connection, channel: string): void {
    this.find(connection.app.id, channel)?.add(connection);
  }

  leave(connection: Connection, channel: string): Awaitable<void> {
    const appId = connection.app.id;
    const subscribers = this.find(appId, channel);
    if (!subscribers) return;
    subscribers.delete(connection);
    if (--subscribers.interested > 0) return;
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
    const subscribers = new ChannelSubscribers(this.writes);
    channels.set(channel, subscribers);
    return subscribers;
  }

  private close(appId: string, channel: string): void {
    const channels = this.apps.get(appId);
    channels?.delete(channel);
    if (channels?.size === 0) this.apps.delete(appId);
  }
}
