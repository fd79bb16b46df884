import type { Abstract, InjectionToken, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';

/** A port: an abstract class, which is type, injection token and documentation at once. */
export type Port<T> = abstract new (...args: never[]) => T;

/**
 * A host's replacement for a port's default implementation: a class that Nest constructs with its dependencies, an
 * object that exists already, or one of Nest's own provider shapes.
 */
export type Implementation<T> = Type<T> | T | ProviderShape<T>;

/** Nest's provider shapes without their `provide`: the port is what they provide. */
export type ProviderShape<T> =
  | { readonly useClass: Type<T> }
  | { readonly useValue: T }
  | {
      readonly useFactory: (...args: never[]) => T | Promise<T>;
      readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[];
    }
  // A string or a symbol does not identify an implementation.
  | { readonly useExisting: Abstract<T> | string | symbol };

const shapes = ['useClass', 'useValue', 'useFactory', 'useExisting'] as const;

/** The provider for `port`: the host's, otherwise the default. */
export function bind<T extends object>(
  port: Port<T>,
  named: Implementation<T> | undefined,
  fallback: Implementation<T>,
): Provider {
  const chosen = named ?? fallback;
  if (typeof chosen === 'function') return { provide: port, useClass: chosen };
  // With `provide`, such a shape is a complete Nest provider.
  if (shapes.some((shape) => shape in chosen)) return { ...chosen, provide: port } as Provider;
  return { provide: port, useValue: chosen };
}
