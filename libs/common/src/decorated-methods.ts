import { type DiscoveryService, MetadataScanner } from '@nestjs/core';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A method of a provider or controller that has a decorator. */
export interface DecoratedMethod<T> {
  readonly wrapper: Wrapper;
  /** Of the class and the method, such as `Orders.canSee`. */
  readonly name: string;
  readonly method: string;
  /** What the decorator was told. */
  readonly told: T;
  /** Whether the application has one instance that answers all. */
  readonly isSingle: boolean;
}

/**
 * The methods of the application's providers and controllers that have a decorator. A class that two modules provide has
 * its methods once.
 *
 * @param key under which the decorator keeps what it is told
 */
export function decoratedMethods<T>(discovery: DiscoveryService, key: symbol): DecoratedMethod<T>[] {
  const scanner = new MetadataScanner();
  const seen = new Set<object>();
  return [...discovery.getProviders(), ...discovery.getControllers()].flatMap((wrapper) => {
    const prototype = prototypeOf(wrapper);
    if (!prototype || seen.has(prototype)) return [];
    const isSingle = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
    const found = scanner.getAllMethodNames(prototype).flatMap((method) => {
      const told = Reflect.getMetadata(key, prototype[method] as object) as T | undefined;
      const name = `${prototype.constructor.name}.${method}`;
      return told === undefined ? [] : [{ wrapper, name, method, told, isSingle }];
    });
    if (found.length > 0) seen.add(prototype);
    return found;
  });
}

type Methods = Readonly<Record<string, unknown>>;

/** Of what a factory or a value provides, too. */
function prototypeOf({ instance, metatype, isNotMetatype }: Wrapper): Methods | undefined {
  if (!isNotMetatype && metatype) return metatype.prototype as Methods;
  const made: unknown = instance;
  return typeof made === 'object' && made !== null ? (Object.getPrototypeOf(made) as Methods) : undefined;
}
