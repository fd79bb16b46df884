import type { Awaitable } from '#common';
import type { EnhancedMethod } from '#http';
import type { HostCall } from './host-call.js';
import type { Question } from './question.js';

/** A method of the host, with its guards, interceptors and pipes. */
export class HostMethod {
  private readonly prepared = new WeakMap<HostCall, Awaitable<EnhancedMethod>>();

  /** @param name such as `Orders.canSee` */
  constructor(
    readonly name: string,
    private readonly prepare: (call: HostCall) => Awaitable<EnhancedMethod>,
  ) {}

  async ask(call: HostCall, question: Question): Promise<unknown> {
    let method = this.prepared.get(call);
    if (!method) this.prepared.set(call, (method = this.prepare(call)));
    return (await method)(call.request, call.response, call.next, question);
  }
}
