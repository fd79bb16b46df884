import type { FactoryProvider, Provider } from '@nestjs/common';
import type { Port, ProviderShape } from './bind.js';

const aliases = new WeakMap<Port<unknown>, symbol>();

/**
 * A second token of a provider, under which another module finds it. Nest's injection by the class itself is not enough
 * in two cases:
 *
 * - A module that provides a port finds its own provider when it looks for another module's.
 * - If an application lacks a module, Nest rejects the boot because of the class that misses its dependency, before a
 *   check of ours could say which module to import.
 *
 * Where a module is optional, the class itself is injected as an optional dependency.
 *
 * There is one for each class, not for each name: minifiers give several classes the same name.
 */
function aliasOf(of: Port<unknown>): symbol {
  const alias = aliases.get(of) ?? Symbol(`rookery.alias.${of.name}`);
  aliases.set(of, alias);
  return alias;
}

/** Exports a provider for other modules: list it among the module's providers and exports. */
export const alias = (of: Port<unknown>, provider: Port<unknown> = of): Provider & { readonly provide: symbol } => ({
  provide: aliasOf(of),
  useExisting: provider,
});

/** Another module's implementation of a port, otherwise the fallback. */
export const suppliedOr = <T extends object>(port: Port<T>, fallback: new () => T): ProviderShape<T> => ({
  inject: [{ token: aliasOf(port), optional: true }],
  useFactory: (supplied?: T) => supplied ?? new fallback(),
});

/**
 * The services of another module. Without that module, the boot fails with `missing`, a one-line message that says what
 * to import.
 */
export const required = (missing: string, services: readonly Port<object>[]): readonly FactoryProvider[] =>
  services.map((service) => ({
    provide: service,
    inject: [{ token: aliasOf(service), optional: true }],
    useFactory: (supplied?: object) => {
      if (!supplied) throw new Error(missing);
      return supplied;
    },
  }));
