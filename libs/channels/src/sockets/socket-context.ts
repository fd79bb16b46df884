import type { ContextType, ExecutionContext, Type } from '@nestjs/common';
import type { ClientMessage } from '../protocol/client-message.js';
import { ChannelsGateway } from './channels.gateway.js';
import type { Connection } from '../connections/connection.js';

type ClientEventMessage = Extract<ClientMessage, { event: 'client' }>;

/** A message as the client has sent it: a client event goes by its own name, such as `client-typing`. */
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

  /** What pipes have made of it: they may change the fields of a message, but not what kind of message it is. */
  transformed(seen: object): ClientMessage {
    const { message } = this;
    const { event } = message;
    return { ...seen, event, ...(event === 'client' && { name: message.name }) } as ClientMessage;
  }

  getType<T extends string = ContextType>(): T {
    return 'ws' as T;
  }

  getClass<T>(): Type<T> {
    return ChannelsGateway as unknown as Type<T>; // The gateway is what Nest calls the class of the handler.
  }

  getHandler(): ReturnType<ExecutionContext['getHandler']> {
    return this.method;
  }

  getArgs<T extends unknown[]>(): T {
    return [this.connection, this.seen] as unknown as T; // Always these two, as the gateway's methods take them.
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
    throw new Error('A message of a Channels socket is no RPC: use switchToWs()');
  }
}

const clientEvent = ({ name, channel, data }: ClientEventMessage): SocketMessage => ({
  event: name as `client-${string}`, // As it was parsed.
  channel,
  data,
});
