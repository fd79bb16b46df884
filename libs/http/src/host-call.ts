import { ContextIdFactory } from '@nestjs/core';
import { type IncomingMessage, ServerResponse } from 'node:http';

/**
 * A client's request as the host's guards, interceptors and parameters see it; request-scoped providers live as long as
 * it.
 */
export class HostCall {
  readonly contextId: ReturnType<typeof ContextIdFactory.create>;

  constructor(
    readonly request: object,
    readonly response: unknown,
    readonly next: unknown,
  ) {
    this.contextId = ContextIdFactory.getByRequest(request);
  }

  /** A call of a client on its socket. Its response is discarded, so guards may set headers on it. */
  static onSocket(request: IncomingMessage): HostCall {
    return new HostCall(request, new ServerResponse(request), () => {});
  }
}
