import type { ContextType, ExecutionContext, Type } from '@nestjs/common';
import type { HttpArgumentsHost, RpcArgumentsHost, WsArgumentsHost } from '@nestjs/common/interfaces/index.js';

/** What a guard, a parameter or a filter sees of a request, without a closure for each question. */
export class RouteContext implements ExecutionContext, HttpArgumentsHost {
  constructor(
    private readonly controller: object,
    private readonly method: (...args: unknown[]) => unknown,
    private readonly request: unknown,
    private readonly response: unknown,
    private readonly next: unknown,
  ) {}

  switchToHttp(): HttpArgumentsHost {
    return this;
  }

  getRequest<T>(): T {
    return this.request as T; // As in Nest, the asker knows the platform.
  }

  getResponse<T>(): T {
    return this.response as T;
  }

  getNext<T>(): T {
    return this.next as T;
  }

  getType<T extends string = ContextType>(): T {
    return 'http' as T;
  }

  getClass<T>(): Type<T> {
    return this.controller.constructor as Type<T>;
  }

  getHandler(): ReturnType<ExecutionContext['getHandler']> {
    return this.method;
  }

  getArgs<T extends unknown[]>(): T {
    return [this.request, this.response, this.next] as unknown as T;
  }

  getArgByIndex<T>(index: number): T {
    return this.getArgs()[index] as T;
  }

  switchToRpc(): RpcArgumentsHost {
    throw new Error('A request of the HTTP API is no RPC: use switchToHttp()');
  }

  switchToWs(): WsArgumentsHost {
    throw new Error('A request of the HTTP API is no WebSocket message: use switchToHttp()');
  }
}
