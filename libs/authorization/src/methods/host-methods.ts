import { Injectable } from '@nestjs/common';
import { DiscoveryService, ExternalContextCreator, ModuleRef } from '@nestjs/core';
import { type Awaitable, type DecoratedMethod, decoratedMethods, enhanced, type EnhancedMethod } from 'rookery/common';
import type { HostCall } from './host-call.js';
import { HostMethod } from './host-method.js';

/** A method and what its decorator was told. */
export interface Decorated<T> {
  readonly method: HostMethod;
  readonly told: T;
}

/** Finds the methods of the application's providers and controllers that have a decorator. */
@Injectable()
export class HostMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /** @param key under which the decorator keeps what it is told */
  with<T>(key: symbol): Decorated<T>[] {
    return decoratedMethods<T>(this.discovery, key).map((found) => ({
      told: found.told,
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
    // It lives for one request, or something before it does.
    return async ({ request, contextId }) => {
      this.modules.registerRequestByContextId(request, contextId);
      const instance = await this.modules.resolve<object>(wrapper.token as string, contextId, { strict: false });
      return enhanced(this.contexts, instance, name, contextId);
    };
  }
}
