import type { FactoryProvider, Provider, Type } from '@nestjs/common';
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

const supplies = new WeakMap<Port<unknown>, symbol>();

/** Not the {@link aliasOf}: a module that exports its port by that one would find itself as the supplier. */
function supplyOf(port: Port<unknown>): symbol {
  const supply = supplies.get(port) ?? Symbol(`rookery.supply.${port.name}`);
  supplies.set(port, supply);
  return supply;
}

/** Supplies other modules with an implementation of a port: list it among the module's providers and exports. */
export const supply = (port: Port<unknown>, provider: Port<unknown>): Provider & { readonly provide: symbol } => ({
  provide: supplyOf(port),
  useExisting: provider,
});

/** An implementation that names its port. */
export interface PortImplementation extends Type<object> {
  readonly port: Port<object>;
}

/** Supplies other modules with all that an adapter implements: list them among the module's providers and exports. */
export const supplyAll = (implementations: Readonly<Record<string, PortImplementation>>): readonly Provider[] =>
  Object.values(implementations).flatMap((each) => [each, supply(each.port, each)]);

/** Another module's implementation of a port, otherwise the fallback. */
export const suppliedOr = <T extends object>(port: Port<T>, fallback: new () => T): ProviderShape<T> => ({
  inject: [{ token: supplyOf(port), optional: true }],
  useFactory: (supplied?: T) => supplied ?? new fallback(),
});

/** The services of another module, and a line that says what to import where it is missing. */
interface Need {
  readonly missing: string;
  readonly services: readonly [Port<object>, ...Port<object>[]];
}

/** The services of other modules. Without these, the boot fails with the lines of all that are missing. */
export function required(...needs: readonly Need[]): readonly FactoryProvider[] {
  const firsts = needs.map(({ services: [first] }) => ({ token: aliasOf(first), optional: true }));
  return needs.flatMap(({ missing, services }) =>
    services.map((service) => ({
      provide: service,
      inject: [{ token: aliasOf(service), optional: true }, ...firsts],
      useFactory: (supplied: object | undefined, ...of: readonly (object | undefined)[]) => {
        if (supplied) return supplied;
        const lines = needs.filter((_, index) => !of[index]).map((need) => need.missing);
        throw new Error(lines.length > 0 ? lines.join('\n') : missing);
      },
    })),
  );
}
