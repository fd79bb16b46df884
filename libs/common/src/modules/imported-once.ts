import type { FactoryProvider, OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { markOf, warnOfUncalled } from './uncalled-methods.js';

/**
 * Fails the boot of an application that imports a module twice: Nest would create both, and it would be undefined which
 * of them serves the paths and is injected. Warns of decorated methods whose module is missing. Put it first among the
 * module's providers.
 *
 * @param name the module's name
 * @param forRoot the single call to write instead, such as `forRoot({ apps: [one, another] })`
 */
export function importedOnce(name: string, forRoot: string): FactoryProvider<OnModuleInit> {
  const provide = markOf(name);
  return {
    provide,
    inject: [ModulesContainer],
    useFactory: (modules: ModulesContainer) => {
      const count = [...modules.values()].filter(({ providers }) => providers.has(provide)).length;
      if (count > 1)
        throw new Error(
          `${name} is imported ${count} times, but an application can have it only once: write one ${name}.${forRoot} ` +
            'in the root module. Every module can inject what it exports without importing it',
        );
      return { onModuleInit: () => warnOfUncalled(modules) };
    },
  };
}
