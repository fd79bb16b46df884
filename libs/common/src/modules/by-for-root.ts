import type { FactoryProvider, InjectionToken } from '@nestjs/common';

/**
 * Stands in for what `forRoot` provides, and replaces. Where a module is imported as a class, the boot then fails with a
 * line that says what to write, instead of Nest's about the first thing that is missing. List them among the providers of
 * the module's decorator.
 *
 * @param call such as `ChannelsModule.forRoot({ apps })`
 */
export function byForRoot(call: string, tokens: readonly InjectionToken[]): readonly FactoryProvider[] {
  const useFactory = (): never => {
    throw new Error(`${call.split('.')[0]} is imported without its settings: write ${call}`);
  };
  return tokens.map((provide) => ({ provide, useFactory }));
}
