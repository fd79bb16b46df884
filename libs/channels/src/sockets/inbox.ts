import { Injectable } from '@nestjs/common';
import { Broker, type BrokerMessage, type BrokerReceiver, type Position, type Topic } from '../broker/broker.js';
import { NodeRpc } from '../broker/node-rpc.js';
import { HandledEvents } from '../events/handled-events.js';
import { Hub } from '../hub/hub.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { HttpSocketServer } from './http-socket-server.js';

/**
 * Passes on what the broker carries to this process: events to the channels' connections, orders to the connections
 * that they end or remove, and messages between processes. Orders travel on the channels that they are about, so that
 * they reach only processes with such connections, in order with the channels' events.
 */
@Injectable()
export class Inbox implements BrokerReceiver {
  constructor(
    broker: Broker,
    private readonly hub: Hub,
    private readonly rpc: NodeRpc,
    private readonly handled: HandledEvents,
    private readonly subscriptions: SubscriptionsService,
    private readonly http: HttpSocketServer,
  ) {
    broker.receive(this);
  }

  message(message: BrokerMessage, position: Position): void {
    switch (message.kind) {
      case 'event':
        if (this.rpc.carries(message)) this.rpc.receive(message);
        else this.hub.deliver(message, position, this.handled.onSent(message));
        return;
      case 'terminate':
        for (const connection of this.hub.on(message)) connection.close(ProtocolError.terminated());
        return;
      case 'reconnect':
        for (const connection of this.hub.on(message)) connection.close(ProtocolError.reconnect());
        return;
      case 'revoke':
        for (const connection of this.hub.on(message))
          this.subscriptions.revokeHere(connection, message.channel, message.userId);
        return;
      default:
        message satisfies never;
    }
  }

  lost(topics: readonly Topic[]): void {
    if (topics.some((topic) => this.rpc.isOwn(topic))) this.http.lost();
    this.hub.lost(topics);
  }
}
