import type { CanActivate, ExceptionFilter, ExecutionContext } from '@nestjs/common';
import { HTTP_CODE_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteContext } from './route-context.js';

/** A handler as Nest registers it with its platform. */
export type RouteHandler = (request: unknown, response: unknown, next: unknown) => unknown;
export type RouteMethod = (...args: unknown[]) => unknown;
/** Answers a request. */
export type Reply = (context: RouteContext, body: unknown, status: number) => void;

/** What a compiled route is made of: the objects that Nest's pipeline would call for it. */
export interface RouteParts {
  readonly reply: Reply;
  readonly controller: object;
  readonly method: RouteMethod;
  readonly guard: CanActivate;
  readonly filter: ExceptionFilter;
}

/** One function that runs a route: guard, parameters, method, answer; the filter answers what any of them throws. */
export function compileRoute({ reply, controller, method, guard, filter }: RouteParts): RouteHandler {
  const parameters = parametersOf(controller.constructor, method);
  const status = (Reflect.getMetadata(HTTP_CODE_METADATA, method) as number | undefined) ?? 200;

  const answer = (context: RouteContext): unknown =>
    method.apply(
      controller,
      parameters.map((parameter) => parameter(context)),
    );
  // What is ready at once is answered at once: waiting costs more than the route.
  const settle = (context: RouteContext, pending: Promise<unknown>): Promise<void> =>
    pending.then((body) => reply(context, body, status)).catch((error: unknown) => void filter.catch(error, context));

  return (request, response, next) => {
    const context = new RouteContext(controller, method, request, response, next);
    try {
      const allowed = guard.canActivate(context);
      const body = allowed === true ? answer(context) : Promise.resolve(allowed).then(() => answer(context));
      if (body instanceof Promise) void settle(context, body);
      else reply(context, body, status);
    } catch (error) {
      filter.catch(error, context);
    }
  };
}

interface CustomParameter {
  readonly index: number;
  readonly data: unknown;
  readonly factory: (data: unknown, context: ExecutionContext) => unknown;
}

/** The parameters of a method, all of which `createParamDecorator` made, in their order. */
function parametersOf(controller: object, { name }: RouteMethod): ((context: RouteContext) => unknown)[] {
  const found = Object.values((Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as CustomParameter[]);
  return found
    .toSorted((a, b) => a.index - b.index)
    .map(
      ({ data, factory }) =>
        (context) =>
          factory(data, context),
    );
}
