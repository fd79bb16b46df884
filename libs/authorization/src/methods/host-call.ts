import { ContextIdFactory } from '@nestjs/core';

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
}
