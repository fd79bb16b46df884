import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type ClientMessage, type FeatureMessage, parseClientMessage } from '../protocol/client-message.js';
import { ChannelsGateway } from './channels.gateway.js';
import { FeatureMessages } from '../events/feature-messages.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../metrics.js';
import { Budgets } from '../connections/budgets.js';
import type { Connection } from '../connections/connection.js';
import { enqueueWork } from '../connections/enqueue-work.js';
import { internalError, refusalOf } from './thrown-error.js';
import type { ProtocolError } from '../protocol/protocol-error.js';
import { SocketContext } from './socket-context.js';
import { SocketEnhancers } from './socket-enhancers.js';

type Method = (connection: Connection, message: ClientMessage) => void | Promise<void>;

/** The gateway's method for each message of the protocol. */
const methodNames = {
  'pusher:ping': 'ping',
  'pusher:pong': 'pong',
  'pusher:subscribe': 'subscribe',
  'pusher:unsubscribe': 'unsubscribe',
  'pusher:signin': 'signin',
  client: 'clientEvent',
} as const satisfies Record<Exclude<ClientMessage['event'], FeatureMessage['event']>, keyof ChannelsGateway>;

const enhanced = new Set<ClientMessage['event']>(['pusher:subscribe', 'pusher:signin', 'client']);

/** Passes each connection's messages to the gateway's methods one at a time, and answers the errors that they throw. */
@Injectable()
export class MessageLoop implements OnModuleInit {
  private readonly logger = new Logger('Channels');
  private readonly methods: ReadonlyMap<string, Method>;

  constructor(
    private readonly gateway: ChannelsGateway,
    private readonly enhancers: SocketEnhancers,
    private readonly budgets: Budgets,
    private readonly metrics: ChannelsMetrics,
    private readonly tap: ActivityTap,
    private readonly features: FeatureMessages,
  ) {
    // Each method takes the message of its event.
    const ofGateway = Object.entries(methodNames).map(
      ([event, name]) => [event, ChannelsGateway.prototype[name] as Method] as const,
    );
    const ofFeatures: [string, Method][] = [...features.byEvent].map(([event, handler]) => [
      event,
      (connection, message) => handler.handle(connection, message as FeatureMessage),
    ]);
    this.methods = new Map([...ofGateway, ...ofFeatures]);
    for (const { event } of features.byEvent.values()) metrics.messages[event] = 0;
  }

  onModuleInit(): void {
    this.enhancers.resolve();
  }

  /** Handles a text from the client: immediately when the connection is idle, otherwise in its turn. */
  take(connection: Connection, text: string): void {
    // Acknowledgements are noted at once: replaying missed events can take as long as the client reads.
    if (connection.awaitsAcknowledgement && text.startsWith('{"event":"pusher:pong"'))
      void this.handle(connection, text);
    else enqueueWork(connection, () => this.handle(connection, text));
  }

  private handle(connection: Connection, text: string): void | Promise<void> {
    if (connection.isClosed) return;
    let message: ClientMessage | undefined;
    try {
      message = parseClientMessage(text, this.features.byEvent);
      this.metrics.messages[message.event] += 1;
      const pending = this.dispatch(connection, message);
      return pending?.catch((error: unknown) => this.refuse(connection, error, message));
    } catch (error) {
      if (!message) this.metrics.messages.malformed += 1;
      this.refuse(connection, error, message);
    }
  }

  private dispatch(connection: Connection, message: ClientMessage): void | Promise<void> {
    const method = this.methods.get(message.event)!;
    if (this.enhancers.isEmpty || !enhanced.has(message.event)) return method.call(this.gateway, connection, message);
    return this.enhancers.run(new SocketContext(connection, message, method), async (transformed) =>
      method.call(this.gateway, connection, transformed),
    );
  }

  private refuse(connection: Connection, thrown: unknown, message: ClientMessage | undefined): void {
    const refusal = refusalOf(thrown);
    if (!refusal)
      this.logger.error(
        `${message?.event} of connection ${connection.socketId} (app ${connection.app.id}) failed: ${String(thrown)}`,
        thrown instanceof Error ? thrown.stack : undefined,
      );
    const error = refusal ? this.budgets.refuse(connection, refusal) : internalError();
    if (!error) return;
    this.observe(connection, error, message);
    this.gateway.refuse(connection, error, message);
  }

  private observe(
    { app, socketId, user }: Connection,
    { code, message: text, channel: ofRefusal }: ProtocolError,
    message?: ClientMessage,
  ) {
    this.metrics.of(app.id).refusals += 1;
    const channel =
      message && 'channel' in message && typeof message.channel === 'string' ? message.channel : ofRefusal;
    const userId = user?.id;
    const refused = message?.event;
    this.tap.observer?.observed({
      appId: app.id,
      kind: 'error',
      channel,
      socketId,
      userId,
      code,
      message: text,
      refused,
    });
  }
}
