import { Injectable } from '@nestjs/common';
import { DiscoveryService, ExternalContextCreator, MetadataScanner, ModuleRef } from '@nestjs/core';
import { type Awaitable, enhanced, type EnhancedMethod } from 'rookery/common';
import type { HostCall } from './host-call.js';
import { HostMethod } from './host-method.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A method and what its decorator was told. */
export interface Decorated<T> {
  readonly method: HostMethod;
  readonly told: T;
}

/** Finds the methods of the application's providers and controllers that have a decorator. */
@Injectable()
export class HostMethods {
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /** @param key under which the decorator keeps what it is told */
  with<T>(key: symbol): Decorated<T>[] {
    const seen = new Set<object>();
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()].flatMap((wrapper) => {
      const prototype = prototypeOf(wrapper);
      // A class that two modules provide has its methods once.
      if (!prototype || seen.has(prototype)) return [];
      const found = this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const told = Reflect.getMetadata(key, prototype[name] as object) as T | undefined;
        return told === undefined ? [] : [{ told, method: this.method(wrapper, prototype, name) }];
      });
      if (found.length > 0) seen.add(prototype);
      return found;
    });
  }

  private method(wrapper: Wrapper, prototype: object, name: string): HostMethod {
    return new HostMethod(`${prototype.constructor.name}.${name}`, this.preparation(wrapper, name));
  }

  private preparation(wrapper: Wrapper, name: string): (call: HostCall) => Awaitable<EnhancedMethod> {
    if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient) {
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

type Methods = Readonly<Record<string, unknown>>;

function prototypeOf({ instance, metatype, isNotMetatype }: Wrapper): Methods | undefined {
  if (!isNotMetatype && metatype) return metatype.prototype as Methods;
  const made: unknown = instance;
  return typeof made === 'object' && made !== null ? (Object.getPrototypeOf(made) as Methods) : undefined;
}
