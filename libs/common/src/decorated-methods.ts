import { type DiscoveryService, MetadataScanner } from '@nestjs/core';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** It remembers the methods of a class. */
const scanner = new MetadataScanner();

/** A decorated method of a provider or controller. */
export interface DecoratedMethod<T> {
  readonly wrapper: Wrapper;
  /** The class and the method, such as `Orders.canSee`. */
  readonly name: string;
  readonly method: string;
  /** The decorator's metadata. */
  readonly told: T;
  /** Whether the class has a single instance, that is, is not request-scoped. */
  readonly isSingle: boolean;
}

/**
 * The decorated methods of the application's providers and controllers. A class that two modules provide contributes
 * its methods once.
 *
 * @param key of the decorator's metadata
 */
export function decoratedMethods<T>(discovery: DiscoveryService, key: symbol): DecoratedMethod<T>[] {
  const seen = new Set<object>();
  return [...discovery.getProviders(), ...discovery.getControllers()].flatMap((wrapper) => {
    const prototype = prototypeOf(wrapper);
    if (!prototype || seen.has(prototype)) return [];
    const found = scanner.getAllMethodNames(prototype).flatMap((method) => {
      // Decorators leave it at the function itself.
      const told = Reflect.getOwnMetadata(key, prototype[method] as object) as T | undefined;
      if (told === undefined) return [];
      const name = `${prototype.constructor.name}.${method}`;
      const isSingle = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
      return [{ wrapper, name, method, told, isSingle }];
    });
    if (found.length > 0) seen.add(prototype);
    return found;
  });
}

type Methods = Readonly<Record<string, unknown>>;

/** Also works for factory and value providers. */
function prototypeOf({ instance, metatype, isNotMetatype }: Wrapper): Methods | undefined {
  if (!isNotMetatype && metatype) return metatype.prototype as Methods;
  const made: unknown = instance;
  return typeof made === 'object' && made !== null ? (Object.getPrototypeOf(made) as Methods) : undefined;
}
