/** Called with an event's data, and on channels with its metadata. */
export type Listener = (...args: never[]) => unknown;
type GlobalListener = (event: string, data: never) => unknown;

interface Binding {
  readonly event: string;
  readonly callback: Listener;
  readonly context: unknown;
}

/** Emits events as pusher-js does. */
export class Emitter {
  private bindings: readonly Binding[] = [];
  private globals: readonly GlobalListener[] = [];

  bind(event: string, callback: Listener, context?: unknown): this {
    this.bindings = [...this.bindings, { event, callback, context }];
    return this;
  }

  /** Removes the bindings that match everything given; all of them if nothing is. */
  unbind(event?: string, callback?: Listener, context?: unknown): this {
    this.bindings = this.bindings.filter(
      (each) =>
        (event && event !== each.event) ||
        (callback && callback !== each.callback) ||
        (context && context !== each.context),
    );
    return this;
  }

  bind_global(callback: GlobalListener): this {
    this.globals = [...this.globals, callback];
    return this;
  }

  unbind_global(callback?: GlobalListener): this {
    this.globals = callback ? this.globals.filter((each) => each !== callback) : [];
    return this;
  }

  unbind_all(): this {
    return this.unbind().unbind_global();
  }

  emit(event: string, data?: unknown, metadata?: { readonly user_id?: string }): this {
    // Each listener has the types of its events, as in pusher-js.
    for (const callback of this.globals) callback(event, data as never);
    const args = (metadata ? [data, metadata] : data === undefined ? [] : [data]) as never[];
    for (const each of this.bindings) if (each.event === event) each.callback.apply(each.context ?? globalThis, args);
    return this;
  }
}
