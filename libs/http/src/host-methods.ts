import { type ExceptionFilter, Injectable, Logger, type Type } from '@nestjs/common';
// The keys under which Nest's decorators store metadata: Nest exports no other names for them.
import { EXCEPTION_FILTERS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { ApplicationConfig, DiscoveryService, ExternalContextCreator, ModuleRef } from '@nestjs/core';
import { type Awaitable, type DecoratedMethod, decoratedMethods } from '#common';
import { enhanced, type EnhancedMethod } from './enhanced.js';
import { hasGlobalInterceptors } from './global-interceptors.js';
import type { HostCall } from './host-call.js';
import { HostMethod } from './host-method.js';

/** A method and its decorator's metadata. */
export interface Decorated<T> {
  readonly method: HostMethod;
  readonly metadata: T;
}

/** The module that calls the methods. */
export class CallingModule {
  /**
   * @param check what tells an interceptor that a method is one of them, such as `isAuthorizer(context)`
   * @param globalInterceptors whether the application's global interceptors run around the methods
   */
  constructor(
    readonly name: string,
    readonly check: string,
    readonly globalInterceptors: boolean,
  ) {}
}

/** Finds the decorated methods of the application's providers and controllers. */
@Injectable()
export class HostMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
    private readonly contexts: ExternalContextCreator,
    private readonly config: ApplicationConfig,
    private readonly caller: CallingModule,
  ) {}

  /** @param key of the decorator's metadata */
  with<T>(key: symbol): Decorated<T>[] {
    return decoratedMethods<T>(this.discovery, key).map((found) => ({
      metadata: found.metadata,
      method: new HostMethod(found.name, this.preparation(found), (call) => this.filtersOf(found, call)),
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

  private filtersOf({ prototype, method }: DecoratedMethod<unknown>, { request, contextId }: HostCall) {
    this.modules.registerRequestByContextId(request, contextId);
    const own = [prototype.constructor, prototype[method]].flatMap(
      (of) => (Reflect.getMetadata(EXCEPTION_FILTERS_METADATA, of as object) ?? []) as Filter[],
    );
    return Promise.all(
      own.map(async (each) => (isClass(each) ? this.modules.resolve(each, contextId, { strict: false }) : each)),
    );
  }

  /** Nest can run a method's own interceptors only together with the global ones. */
  private runsInterceptors({ name, prototype, method }: DecoratedMethod<unknown>): boolean {
    const { name: module, globalInterceptors, check } = this.caller;
    if (globalInterceptors || !hasGlobalInterceptors(this.config)) return true;
    const hasOwn = [prototype.constructor, prototype[method]].some((of) =>
      Reflect.hasMetadata(INTERCEPTORS_METADATA, of as object),
    );
    if (hasOwn)
      new Logger(module).warn(
        `${name} has interceptors, with which the global ones run too: one that wraps or caches answers must begin ` +
          `with \`if (${check}) return next.handle();\`. Then set ${module}.forRoot({ globalInterceptors: true })`,
      );
    return hasOwn;
  }
}

/** As `@UseFilters()` takes it. */
type Filter = ExceptionFilter | Type<ExceptionFilter>;

const isClass = (filter: Filter): filter is Type<ExceptionFilter> => typeof filter === 'function';
