import type { FactoryProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/**
 * Fails the boot of an application that has a module twice: Nest would make both, and which of them serves its paths
 * and is injected would be left to chance. Goes first among the module's providers.
 *
 * @param name of the module
 * @param forRoot the call that is enough for all of them, such as `forRoot({ apps: [one, another] })`
 */
export function importedOnce(name: string, forRoot: string): FactoryProvider<true> {
  // Found by its text, as what is lent: there may be two copies of the package.
  const provide = Symbol.for(`rookery.once.${name}`);
  return {
    provide,
    inject: [ModulesContainer],
    useFactory: (modules: ModulesContainer) => {
      const count = [...modules.values()].filter(({ providers }) => providers.has(provide)).length;
      if (count > 1)
        throw new Error(
          `${name} is imported ${count} times, and an application has it once: write one ${name}.${forRoot} ` +
            'in the root module. Every module can inject what it exports without importing it',
        );
      return true;
    },
  };
}
