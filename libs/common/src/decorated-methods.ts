import { Scope, type Type } from '@nestjs/common';
import { type DiscoveryService, ModuleRef } from '@nestjs/core';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A decorated method of a provider or controller. */
export interface DecoratedMethod<T> {
  readonly wrapper: Wrapper;
  /** The prototype of its class. */
  readonly prototype: Methods;
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
      return [{ wrapper, prototype, name, method, metadata, isSingle }];
    });
    if (found.length > 0) seen.add(prototype);
    return found;
  });
}

/**
 * The one instance of the method's class, for calls that no request causes; undefined if the class, or what it injects,
 * is request-scoped.
 *
 * A request-scoped guard, pipe or interceptor makes Nest create its class for each request: a global one every
 * controller. Such a class gets an instance of its own here.
 */
export async function singleInstance({ wrapper, isSingle }: DecoratedMethod<unknown>): Promise<object | undefined> {
  if (isSingle) return wrapper.instance as object;
  const injected = [
    ...(wrapper.getCtorMetadata() ?? []),
    ...(wrapper.getPropertiesMetadata() ?? []).map(({ wrapper: property }) => property),
  ];
  const isOwn = wrapper.scope === undefined || wrapper.scope === Scope.DEFAULT;
  if (!isOwn || injected.some((each) => !each.isDependencyTreeStatic())) return undefined;
  let instance = created.get(wrapper);
  if (!instance) {
    const modules = wrapper.host!.getProviderByKey<ModuleRef>(ModuleRef).instance;
    created.set(wrapper, (instance = modules.create(wrapper.metatype as Type<object>)));
  }
  return instance;
}

/** All methods of a class share one. */
const created = new WeakMap<Wrapper, Promise<object>>();

type Methods = Readonly<Record<string, unknown>>;

const decorated = new WeakMap<object, readonly string[]>();
const none: readonly string[] = [];

/** The methods with any decorator: modules look for several, and few methods have one. */
function decoratedIn(prototype: object): readonly string[] {
  if (prototype === Object.prototype) return none;
  let names = decorated.get(prototype);
  if (!names) {
    const base = Object.getPrototypeOf(prototype) as object | null;
    const inherited = base ? decoratedIn(base) : none;
    const own = Object.getOwnPropertyNames(prototype).filter((name) => isDecorated(prototype, name));
    names = own.length > 0 ? [...new Set([...inherited, ...own])] : inherited;
    decorated.set(prototype, names);
  }
  return names;
}

/** Decorators leave their metadata at the function itself; that of a class is no method's. */
function isDecorated(prototype: object, name: string): boolean {
  if (name === 'constructor') return false;
  const value: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
  return typeof value === 'function' && Reflect.getOwnMetadataKeys(value).length > 0;
}

/** Also works for factory and value providers. */
function prototypeOf({ instance, metatype, isNotMetatype }: Wrapper): Methods | undefined {
  if (!isNotMetatype && metatype) return metatype.prototype as Methods;
  const made: unknown = instance;
  return typeof made === 'object' && made !== null ? (Object.getPrototypeOf(made) as Methods) : undefined;
}
