import { Injectable, Logger } from '@nestjs/common';
// The key under which Nest's decorator stores metadata: Nest exports no other name for it.
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, DiscoveryService, ExternalContextCreator, ModuleRef } from '@nestjs/core';
import { type Awaitable, type DecoratedMethod, decoratedMethods } from '#common';
import { enhanced, type EnhancedMethod, hasGlobalInterceptors } from '#http';
import { AuthorizationSettings } from '../authorization.options.js';
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
  private readonly logger = new Logger('AuthorizationModule');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
    private readonly contexts: ExternalContextCreator,
    private readonly config: ApplicationConfig,
    private readonly settings: AuthorizationSettings,
  ) {}

  /** @param key of the decorator's metadata */
  with<T>(key: symbol): Decorated<T>[] {
    return decoratedMethods<T>(this.discovery, key).map((found) => ({
      metadata: found.metadata,
      method: new HostMethod(found.name, this.preparation(found)),
    }));
  }

  private preparation(found: DecoratedMethod<unknown>): (call: HostCall) => Awaitable<EnhancedMethod> {
    const { wrapper, method: name, isSingle } = found;
    const interceptors = this.runsInterceptors(found);
    if (isSingle) {
      const method = enhanced(this.contexts, wrapper.instance as object, name, interceptors);
      return () => method;
    }
    // It, or one of its dependencies, is request-scoped.
    return async ({ request, contextId }) => {
      this.modules.registerRequestByContextId(request, contextId);
      const instance = await this.modules.resolve<object>(wrapper.token as string, contextId, { strict: false });
      return enhanced(this.contexts, instance, name, interceptors, contextId);
    };
  }

  /** Nest can run a method's own interceptors only together with the global ones. */
  private runsInterceptors({ name, prototype, method }: DecoratedMethod<unknown>): boolean {
    if (this.settings.globalInterceptors || !hasGlobalInterceptors(this.config)) return true;
    const hasOwn = [prototype.constructor, prototype[method]].some((of) =>
      Reflect.hasMetadata(INTERCEPTORS_METADATA, of as object),
    );
    if (hasOwn)
      this.logger.warn(
        `${name} has interceptors, with which the global ones run too: one that wraps or caches answers must begin ` +
          'with `if (isAuthorizer(context)) return next.handle();`. Then set ' +
          'AuthorizationModule.forRoot({ globalInterceptors: true })',
      );
    return hasOwn;
  }
}
