import { type DiscoveryService, MetadataScanner } from '@nestjs/core';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

const scanner = new MetadataScanner();

/** A decorated method of a provider or controller. */
export interface DecoratedMethod<T> {
  readonly wrapper: Wrapper;
  /** The class and the method, such as `Orders.canSee`. */
  readonly name: string;
  readonly method: string;
  /** The decorator's metadata. */
  readonly metadata: T;
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
    const found = decoratedIn(prototype).flatMap((method) => {
      const metadata = Reflect.getOwnMetadata(key, prototype[method] as object) as T | undefined;
      if (metadata === undefined) return [];
      const name = `${prototype.constructor.name}.${method}`;
      const isSingle = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
      return [{ wrapper, name, method, metadata, isSingle }];
    });
    if (found.length > 0) seen.add(prototype);
    return found;
  });
}

type Methods = Readonly<Record<string, unknown>>;

const decorated = new WeakMap<Methods, readonly string[]>();

/** The methods with any decorator: modules look for several, and few methods have one. */
function decoratedIn(prototype: Methods): readonly string[] {
  let names = decorated.get(prototype);
  if (!names) {
    // Decorators leave their metadata at the function itself.
    const isDecorated = (name: string): boolean => Reflect.getOwnMetadataKeys(prototype[name] as object).length > 0;
    decorated.set(prototype, (names = scanner.getAllMethodNames(prototype).filter(isDecorated)));
  }
  return names;
}

/** Also works for factory and value providers. */
function prototypeOf({ instance, metatype, isNotMetatype }: Wrapper): Methods | undefined {
  if (!isNotMetatype && metatype) return metatype.prototype as Methods;
  const made: unknown = instance;
  return typeof made === 'object' && made !== null ? (Object.getPrototypeOf(made) as Methods) : undefined;
}
