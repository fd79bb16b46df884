import { Logger } from '@nestjs/common';
import { DiscoveryService, type ModulesContainer } from '@nestjs/core';
import { decoratedMethods } from '../decorated-methods.js';

/** The module that calls the methods with a decorator. */
export interface Caller {
  readonly module: string;
  /** The call to write, such as `forRoot({ apps })`. */
  readonly forRoot: string;
  /** Where it is imported from, such as `rookery/channels`. */
  readonly from: string;
}

type DecoratorCaller = Caller & { readonly decorator: string };

// Global symbols, so that several copies of the package share them.
const callers = Symbol.for('rookery.callers');
export const markOf = (module: string): symbol => Symbol.for(`rookery.once.${module}`);

/** Notes at a decorated method which module calls it: without the module, the boot warns. */
export const calledBy =
  (decorator: string, caller: Caller): MethodDecorator =>
  (_target, _name, { value }) => {
    const others = (Reflect.getOwnMetadata(callers, value as object) ?? []) as readonly DecoratorCaller[];
    Reflect.defineMetadata(callers, [...others, { ...caller, decorator }], value as object);
  };

const checked = new WeakSet<ModulesContainer>();

/** Warns, once in an application, of decorated methods that nothing will call, because it lacks the module that would. */
export function warnOfUncalled(modules: ModulesContainer): void {
  if (checked.has(modules)) return;
  checked.add(modules);
  const isImported = ({ module }: Caller): boolean =>
    [...modules.values()].some(({ providers }) => providers.has(markOf(module)));
  const found = decoratedMethods<readonly DecoratorCaller[]>(new DiscoveryService(modules), callers);
  for (const { name, metadata } of found) {
    const missing = metadata.filter((caller) => !isImported(caller));
    for (const module of new Set(missing.map((caller) => caller.module))) {
      const of = missing.filter((caller) => caller.module === module);
      const decorators = [...new Set(of.map(({ decorator }) => `@${decorator}()`))].toSorted().join(', ');
      const [{ forRoot, from }] = of as [DecoratorCaller];
      new Logger('Rookery').warn(
        `${name} has ${decorators}, but nothing calls it: add ${module}.${forRoot} of ${from} to the imports of the ` +
          'root module',
      );
    }
  }
}
