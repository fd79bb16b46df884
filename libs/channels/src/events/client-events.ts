import { Injectable } from '@nestjs/common';
import { Unavailable } from '#common';
import { limitsOf } from '../app/app-limits.js';
import type { App } from '../app/app.js';
import { historyOf } from '../app/history-rule.js';
import { Broker, type BrokerEvent, type Position } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import { Budgets } from '../connections/budgets.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../metrics.js';
import { SlidingSecond } from '../sliding-second.js';
import { channelEvent } from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { Hub } from '../hub/hub.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { Slot } from '../connections/slot.js';
import { ClientEventAuthorizers } from './client-event-authorizers.js';
import { ClientEventSteps } from './client-event-step.js';
import { KeptBytes } from './kept-bytes.js';
import type { KeptEventSize } from './kept-channel.js';

/** The client events of connections within a second. */
export const clientEventRates = new Slot<SlidingSecond>();

/** @throws ProtocolError if the client sends more in a second */
export function countClientEvent(connection: Connection, perSecond: number): void {
  const rate = clientEventRates.of(connection) ?? clientEventRates.set(connection, new SlidingSecond(perSecond));
  if (!rate.take()) throw ProtocolError.clientEventRate(perSecond);
}

export interface ClientEvent {
  readonly name: string;
  readonly channel: string;
  readonly data: string;
}

/** Relays events from a client to the other subscribers of its channel (channels-wire §4). */
@Injectable()
export class ClientEvents {
  constructor(
    private readonly broker: Broker,
    private readonly hub: Hub,
    private readonly budgets: Budgets,
    private readonly webhooks: WebhooksService,
    private readonly metrics: ChannelsMetrics,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
    private readonly authorizers: ClientEventAuthorizers,
    private readonly steps: ClientEventSteps,
    private readonly kept: KeptBytes,
  ) {}

  /** @throws ProtocolError when the event is refused; the connection stays open */
  async relay(connection: Connection, { name, channel, data }: ClientEvent): Promise<void> {
    const { app, socketId } = connection;
    const subscription = this.check(connection, { name, channel, data });
    if (!this.authorizers.isEmpty) await this.authorize(connection, subscription, { name, channel, data });
    const userId = subscription.member?.userId;
    const text = channelEvent(name, channel, data, userId);
    const history = historyOf(app, channel, this.settings.limits, true);
    if (history) this.keep(app, channel, { bytes: Buffer.byteLength(text), history });
    const event = {
      kind: 'event',
      appId: app.id,
      channel,
      text,
      except: socketId,
      ...(history && { history }),
    } as const;
    const position = await this.publish(event);
    this.tap.observer?.sent(event, position, true);
    this.steps.after(app, { name, channel, data });
    this.metrics.of(app.id).clientEvents += 1;
    const sender = userId === undefined ? {} : { user_id: userId };
    this.webhooks.emit(app, { name: 'client_event', channel, event: name, data, socket_id: socketId, ...sender });
  }

  private keep(app: App, channel: string, event: KeptEventSize): void {
    if (!this.kept.hasRoom(app, 'keptEvents', event.bytes)) throw ProtocolError.tooMuchKept();
    this.kept.keep(app.id, channel, event);
  }

  private async authorize(connection: Connection, subscription: Subscription, event: ClientEvent): Promise<void> {
    await this.authorizers.check(connection, subscription, event);
    // The connection may have lost its access meanwhile.
    if (connection.isClosed || connection.subscriptions?.get(event.channel) !== subscription)
      throw ProtocolError.clientEventNotSubscribed(event.channel.slice(0, 200));
  }

  /** While the broker is down, subscribers in this process still receive the event. */
  private async publish(event: BrokerEvent): Promise<Position | undefined> {
    try {
      return await this.broker.publish(event);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.hub.deliverHere(event);
      return undefined;
    }
  }

  private check(connection: Connection, { name, channel, data }: ClientEvent): Subscription {
    const limits = limitsOf(connection.app, this.settings.limits);
    if (!connection.app.clientEvents) throw ProtocolError.clientEventsDisabled();
    const subscription = connection.subscriptions?.get(channel);
    if (!subscription) throw ProtocolError.clientEventNotSubscribed(channel.slice(0, 200));
    const { access } = subscription.channel;
    if (access !== 'private' && access !== 'presence') throw ProtocolError.clientEventNeedsPrivate();
    if (name.length > limits.eventNameLength)
      throw ProtocolError.malformed(`event name is longer than ${limits.eventNameLength} characters`);
    const bytes = Buffer.byteLength(data);
    if (bytes > limits.eventDataBytes) throw ProtocolError.clientEventTooLarge(limits.eventDataBytes);
    countClientEvent(connection, limits.clientEventsPerSecond);
    const userId = subscription.member?.userId ?? connection.user?.id;
    this.budgets.clientEvent(connection, userId, bytes, this.hub.count(connection.app.id, channel));
    return subscription;
  }
}
