import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { messageOf, requestIn } from './raw-body.js';

/**
 * Makes a parameter of a controller's method the `Idempotency-Key` of the request, if it has one.
 * @param refusal the answer to a key that is empty, too long or not printable
 */
export const idempotencyKeyOr = (refusal: () => Error): (() => ParameterDecorator) =>
  createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
    const key = messageOf(requestIn(context)).headers['idempotency-key'];
    if (key === undefined) return undefined;
    if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw refusal();
    return key;
  });
