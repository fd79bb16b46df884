import type { Abstract, InjectionToken, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';

/** A port: an abstract class, which is type, injection token and documentation at once. */
export type Port<T> = abstract new (...args: never[]) => T;

/**
 * What a host may name in place of a port's default implementation: a class that Nest constructs with its
 * dependencies, an object that exists already, or one of Nest's own provider shapes.
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
  // A string or a symbol says nothing about what stands behind it.
  | { readonly useExisting: Abstract<T> | string | symbol };

const shapes = ['useClass', 'useValue', 'useFactory', 'useExisting'] as const;

/** The provider that answers for `port`: what the host named, else the default. */
export function bind<T extends object>(
  port: Port<T>,
  named: Implementation<T> | undefined,
  fallback: Implementation<T>,
): Provider {
  const chosen = named ?? fallback;
  if (typeof chosen === 'function') return { provide: port, useClass: chosen };
  // With `provide` beside it, such a shape is one of Nest's providers.
  if (shapes.some((shape) => shape in chosen)) return { ...chosen, provide: port } as Provider;
  return { provide: port, useValue: chosen };
}
