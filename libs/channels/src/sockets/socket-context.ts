import type { ContextType, ExecutionContext, Type } from '@nestjs/common';
import type { ClientMessage } from '../protocol/client-message.js';
import { ChannelsGateway } from './channels.gateway.js';
import type { Connection } from '../connections/connection.js';

/**
 * What a guard, interceptor or filter sees of a message: `switchToWs().getClient()` is the {@link Connection},
 * `getData()` the {@link ClientMessage} and `getPattern()` its event.
 */
export class SocketContext implements ExecutionContext {
  constructor(
    private readonly connection: Connection,
    readonly message: ClientMessage,
    private readonly method: (...args: never[]) => unknown,
  ) {}

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
    return [this.connection, this.message] as unknown as T; // Always these two, as the gateway's methods take them.
  }

  getArgByIndex<T>(index: number): T {
    return this.getArgs()[index] as T;
  }

  switchToWs(): ReturnType<ExecutionContext['switchToWs']> {
    return {
      getClient: <T>() => this.connection as T,
      getData: <T>() => this.message as T,
      getPattern: () => this.message.event,
    };
  }

  switchToHttp(): never {
    throw new Error('A message of a Channels socket has no HTTP request: use switchToWs()');
  }

  switchToRpc(): never {
    throw new Error('A message of a Channels socket is no RPC: use switchToWs()');
  }
}
