import { Injectable } from '@nestjs/common';
import { DiscoveryService, ExternalContextCreator, ModuleRef } from '@nestjs/core';
import { type Awaitable, type DecoratedMethod, decoratedMethods, enhanced, type EnhancedMethod } from '#common';
import type { HostCall } from './host-call.js';
import { HostMethod } from './host-method.js';

/** A method and its decorator's metadata. */
export interface Decorated<T> {
  readonly method: HostMethod;
  readonly metadata: T;
}

/** Finds the decorated methods of the application's providers and controllers. */
@Injectable()
export class HostMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /** @param key of the decorator's metadata */
  with<T>(key: symbol): Decorated<T>[] {
    return decoratedMethods<T>(this.discovery, key).map((found) => ({
      metadata: found.metadata,
      method: new HostMethod(found.name, this.preparation(found)),
    }));
  }

  private preparation({
    wrapper,
    method: name,
    isSingle,
  }: DecoratedMethod<unknown>): (call: HostCall) => Awaitable<EnhancedMethod> {
    if (isSingle) {
      const method = enhanced(this.contexts, wrapper.instance as object, name);
      return () => method;
    }
    // It, or one of its dependencies, is request-scoped.
    return async ({ request, contextId }) => {
      this.modules.registerRequestByContextId(request, contextId);
      const instance = await this.modules.resolve<object>(wrapper.token as string, contextId, { strict: false });
      return enhanced(this.contexts, instance, name, contextId);
    };
  }
}
