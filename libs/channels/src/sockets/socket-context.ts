import type { ContextType, ExecutionContext, Type } from '@nestjs/common';
import type { ClientMessage } from '../protocol/client-message.js';
import { ChannelsGateway } from './channels.gateway.js';
import type { Connection } from '../connections/connection.js';

type ClientEventMessage = Extract<ClientMessage, { event: 'client' }>;

/** A message as the client sent it. A client event carries its own name, such as `client-typing`. */
export type SocketMessage =
  | Exclude<ClientMessage, ClientEventMessage>
  | (Pick<ClientEventMessage, 'channel' | 'data'> & { readonly event: `client-${string}` });

/**
 * What a guard, interceptor or filter sees of a message: `switchToWs().getClient()` is the {@link Connection},
 * `getData()` the {@link SocketMessage} and `getPattern()` its event.
 */
export class SocketContext implements ExecutionContext {
  /** The message as enhancers see it. */
  readonly seen: SocketMessage;

  constructor(
    private readonly connection: Connection,
    private readonly message: ClientMessage,
    private readonly method: (...args: never[]) => unknown,
  ) {
    this.seen = message.event === 'client' ? clientEvent(message) : message;
  }

  /** The message as pipes have changed it: they may change its fields, but not its kind. */
  transformed(seen: object): ClientMessage {
    const { message } = this;
    const { event } = message;
    return { ...seen, event, ...(event === 'client' && { name: message.name }) } as ClientMessage;
  }

  getType<T extends string = ContextType>(): T {
    return 'ws' as T;
  }

  getClass<T>(): Type<T> {
    return ChannelsGateway as unknown as Type<T>; // Nest calls the class of the handler; that is the gateway.
  }

  getHandler(): ReturnType<ExecutionContext['getHandler']> {
    return this.method;
  }

  getArgs<T extends unknown[]>(): T {
    return [this.connection, this.seen] as unknown as T; // The gateway's methods always take these two.
  }

  getArgByIndex<T>(index: number): T {
    return this.getArgs()[index] as T;
  }

  switchToWs(): ReturnType<ExecutionContext['switchToWs']> {
    return {
      getClient: <T>() => this.connection as T,
      getData: <T>() => this.seen as T,
      getPattern: () => this.seen.event,
    };
  }

  switchToHttp(): never {
    throw new Error('A message of a Channels socket has no HTTP request: use switchToWs()');
  }

  switchToRpc(): never {
    throw new Error('A message of a Channels socket is not RPC: use switchToWs()');
  }
}

const clientEvent = ({ name, channel, data }: ClientEventMessage): SocketMessage => ({
  event: name as `client-${string}`, // The name was parsed.
  channel,
  data,
});
