import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { checkedBody } from './body-refusal.js';
import { jsonBodyOf } from './json-body.js';
import { requestIn } from './raw-body.js';

/** The class whose rules a body must satisfy, or a function that chooses it by the request. */
export type BodyClass = Type<object> | { readonly by: (context: ExecutionContext) => Type<object> };

const bodyClass = 'rookery.bodyClass';
const checked = Symbol('rookery.checkedBody');

/** The class of the method's body, for {@link ValidBodyGuard} and the API's description. */
const bodyOfMethod = (of: BodyClass): MethodDecorator => SetMetadata(bodyClass, of);

const body = createParamDecorator((of: BodyClass, context: ExecutionContext) => bodyIn(context, of));

/**
 * The body, checked against the rules of a class, as a parameter of a controller's method. A violation is answered when
 * the parameter is read, or earlier by {@link ValidBodyGuard}, at its place among the guards.
 */
export const RequestBody =
  (of: BodyClass): ParameterDecorator =>
  (controller, method, index) => {
    body(of)(controller, method, index);
    const descriptor = method === undefined ? undefined : Object.getOwnPropertyDescriptor(controller, method);
    if (descriptor && method !== undefined) bodyOfMethod(of)(controller, method, descriptor);
  };

function bodyIn(context: ExecutionContext, of: BodyClass): object {
  const request: { [checked]?: object } & ReturnType<typeof requestIn> = requestIn(context);
  return (request[checked] ??= checkedBody('by' in of ? of.by(context) : of, jsonBodyOf(request)));
}

/** Requires a body that satisfies its method's `@RequestBody(Class)`. For routes with further checks after it. */
@Injectable()
export class ValidBodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const of = this.reflector.get<BodyClass | undefined>(bodyClass, context.getHandler());
    if (!of) throw new Error('ValidBodyGuard needs @RequestBody(…) on a parameter of its method');
    bodyIn(context, of);
    return true;
  }
}
