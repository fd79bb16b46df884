import type { Provider, Type } from '@nestjs/common';

/** A port: an abstract class, which is type, injection token and documentation at once. */
export type Port<T> = abstract new (...args: never[]) => T;

/**
 * What a host may name in place of a port's default implementation: a class that Nest constructs with its
 * dependencies, an object that exists already, or a factory with what it injects.
 */
export type Implementation<T> =
  Type<T> | T | { readonly inject?: Provider[] | unknown[]; readonly useFactory: (...args: never[]) => T | Promise<T> };

/** The provider that answers for `port`: what the host named, else the default. */
export function bind<T extends object>(
  port: Port<T>,
  named: Implementation<T> | undefined,
  fallback: Type<T>,
): Provider {
  const chosen = named ?? fallback;
  if (typeof chosen === 'function') return { provide: port, useClass: chosen };
  if ('useFactory' in chosen)
    return { provide: port, inject: (chosen.inject ?? []) as never[], useFactory: chosen.useFactory };
  return { provide: port, useValue: chosen };
}
