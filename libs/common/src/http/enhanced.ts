// The keys under which Nest's decorators keep what they are told: Nest has no other name for them.
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { ContextId, ExternalContextCreator } from '@nestjs/core';
import { parameterValues } from './parameter-values.js';

/** A method that takes what a controller's method would be called with: request, response, and what else there is. */
export type EnhancedMethod = (request: unknown, response: unknown, ...rest: unknown[]) => Promise<unknown>;

/** Filters are left out: what is thrown is answered in the words of the API, whatever the host does with its own. */
const enhancers = { guards: true, interceptors: true, filters: false } as const;

/** A method with the guards, interceptors and pipes that Nest would run round it; as @nestjs/graphql does it. */
export function enhanced(
  contexts: ExternalContextCreator,
  instance: object,
  method: string,
  contextId?: ContextId,
): EnhancedMethod {
  const callback = (instance as Record<string, () => unknown>)[method]!; // `method` was read from its class.
  return contexts.create(
    instance,
    callback,
    method,
    ROUTE_ARGS_METADATA,
    parameterValues,
    contextId,
    undefined,
    enhancers,
    'http',
  );
}
