// The keys under which Nest's decorators store metadata: Nest exports no other names for them.
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { ContextId, ExternalContextCreator } from '@nestjs/core';
import { defaultIfEmpty, isObservable, take } from 'rxjs';
import { parameterValues } from './parameter-values.js';

/** A method with the arguments of a controller's method: request, response, and any others. */
export type EnhancedMethod = (request: unknown, response: unknown, ...rest: unknown[]) => Promise<unknown>;

/**
 * A method with the guards and pipes that Nest would run around it, as in @nestjs/graphql. Nest could run filters only
 * together with the global ones, which write to the response of a route: HostMethod runs the others. Of an Observable,
 * the first value is the answer, so one that never completes has an answer, too.
 *
 * @param interceptors whether Nest also runs interceptors: those of the method, and the global ones
 */
export function enhanced(
  contexts: ExternalContextCreator,
  instance: object,
  method: string,
  interceptors: boolean,
  contextId?: ContextId,
): EnhancedMethod {
  const callback = firstValueOf((instance as Record<string, Method>)[method]!); // `method` was read from its class.
  return contexts.create(
    instance,
    callback,
    method,
    ROUTE_ARGS_METADATA,
    parameterValues,
    contextId,
    undefined,
    { guards: true, interceptors, filters: false },
    'http',
  );
}

type Method = (...args: unknown[]) => unknown;

/** Has the method's name and metadata, which guards and interceptors read. */
function firstValueOf(method: Method): Method {
  async function first(this: unknown, ...args: unknown[]): Promise<unknown> {
    const answer = await method.apply(this, args);
    return isObservable(answer) ? answer.pipe(take(1), defaultIfEmpty(undefined)) : answer;
  }
  for (const key of Reflect.getMetadataKeys(method))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), first);
  return Object.defineProperty(first, 'name', { value: method.name });
}
