import type { Awaitable } from '#common';
import type { EnhancedMethod } from './enhanced.js';
import type { HostCall } from './host-call.js';

/** A method of the host, with its guards, interceptors and pipes. */
export class HostMethod {
  private readonly prepared = new WeakMap<HostCall, Awaitable<EnhancedMethod>>();

  /** @param name such as `Orders.canSee` */
  constructor(
    readonly name: string,
    private readonly prepare: (call: HostCall) => Awaitable<EnhancedMethod>,
  ) {}

  /** @param question passed after request, response and `next`, for the module's parameter decorators */
  async ask(call: HostCall, question: object): Promise<unknown> {
    let method = this.prepared.get(call);
    if (!method) this.prepared.set(call, (method = this.prepare(call)));
    return (await method)(call.request, call.response, call.next, question);
  }
}
