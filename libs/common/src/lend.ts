import type { FactoryProvider, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';
import type { Port, ProviderShape } from './bind.js';

// A global symbol, so that several copies of the package in one application lend to each other.
const lentName = (port: Port<unknown>): symbol => Symbol.for(`rookery.lent.${port.name}`);

/**
 * Provides a module's export under a second name, by which another module can {@link borrow} it. Add the provider to
 * the module's providers and exports.
 *
 * @param by the module's provider for the port, if it is not the port itself
 */
export const lend = (port: Port<unknown>, by: Port<unknown> = port): Provider & { readonly provide: symbol } => ({
  provide: lentName(port),
  useExisting: by,
});

/** The default of a port: another module's implementation, or a fallback without dependencies. */
export const lentOr = <T extends object>(port: Port<T>, fallback: new () => T): ProviderShape<T> => ({
  inject: [{ token: lentName(port), optional: true }],
  useFactory: (lent?: T) => lent ?? new fallback(),
});

/** Another module's implementation, for a factory's `inject`; undefined if that module is missing. */
export const ifLent = (port: Port<unknown>): OptionalFactoryDependency => ({ token: lentName(port), optional: true });

/**
 * Another module's implementation, for this module's providers. If that module is missing, the boot fails with
 * `missing`, a one-line message that says what to write, instead of Nest's own resolution error.
 */
export const borrow = <T extends object>(port: Port<T> | Type<T>, missing: string): FactoryProvider<T> => ({
  provide: port,
  inject: [{ token: lentName(port), optional: true }],
  useFactory: (lent?: T) => {
    if (!lent) throw new Error(missing);
    return lent;
  },
});
