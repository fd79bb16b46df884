import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { messageOf, requestIn } from '#common';
import { badRequest } from '../channels.errors.js';

/** The `Idempotency-Key` of a request, if it has one, as a parameter of a controller's method. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const key = messageOf(requestIn(context)).headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key must have 1 to 255 printable ASCII characters');
  return key;
});
