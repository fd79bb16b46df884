import type { ExceptionFilter } from '@nestjs/common';
// Nest exports no other name for it.
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Awaitable } from '#common';
import type { EnhancedMethod } from './enhanced.js';
import { filtered } from './exception-filters.js';
import type { HostCall } from './host-call.js';

/** A method of the host, with its guards, interceptors and pipes. */
export class HostMethod {
  private readonly prepared = new WeakMap<HostCall, Awaitable<EnhancedMethod>>();

  /**
   * @param name such as `Orders.canSee`
   * @param filters the exception filters of its class, then its own
   */
  constructor(
    readonly name: string,
    private readonly prepare: (call: HostCall) => Awaitable<EnhancedMethod>,
    private readonly filters: (call: HostCall) => Promise<readonly ExceptionFilter[]>,
  ) {}

  /** @param question passed after request, response and `next`, for the module's parameter decorators */
  async ask(call: HostCall, question: object): Promise<unknown> {
    let method = this.prepared.get(call);
    if (!method) this.prepared.set(call, (method = this.prepare(call)));
    return (await method)(call.request, call.response, call.next, question);
  }

  /**
   * As {@link ask}, and passes errors to the filters of the method and its class: what a filter returns is the answer,
   * unless it is an error or nothing.
   */
  async askFiltered(call: HostCall, question: object): Promise<unknown> {
    try {
      return await this.ask(call, question);
    } catch (error) {
      const host = new ExecutionContextHost([call.request, call.response, call.next, question]);
      const answer: unknown = await filtered(await this.filters(call), error, host);
      if (answer === undefined) throw error;
      return answer;
    }
  }
}
