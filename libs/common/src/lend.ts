import type { FactoryProvider, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';
import type { Port, ProviderShape } from './bind.js';

// Found by its text, so that two copies of the package in one application lend to each other.
const lentName = (port: Port<unknown>): symbol => Symbol.for(`rookery.lent.${port.name}`);

/**
 * Gives what a module exports a second name, under which another module may {@link borrow} it. Add the provider to the
 * module's providers and to its exports.
 *
 * @param by what the module provides for the port, when that is not the port itself
 */
export const lend = (port: Port<unknown>, by: Port<unknown> = port): Provider & { readonly provide: symbol } => ({
  provide: lentName(port),
  useExisting: by,
});

/** The default of a port: what another module lends for it, or else an implementation that needs nothing. */
export const lentOr = <T extends object>(port: Port<T>, fallback: new () => T): ProviderShape<T> => ({
  inject: [{ token: lentName(port), optional: true }],
  useFactory: (lent?: T) => lent ?? new fallback(),
});

/** What another module lends, for a factory's `inject`; undefined where that module is missing. */
export const ifLent = (port: Port<unknown>): OptionalFactoryDependency => ({ token: lentName(port), optional: true });

/**
 * What another module lends, for the providers of this one. Where that module is missing, the boot fails with
 * `missing`, one line that says what to write, in place of Nest's own account of what it could not resolve.
 */
export const borrow = <T extends object>(port: Port<T> | Type<T>, missing: string): FactoryProvider<T> => ({
  provide: port,
  inject: [{ token: lentName(port), optional: true }],
  useFactory: (lent?: T) => {
    if (!lent) throw new Error(missing);
    return lent;
  },
});
