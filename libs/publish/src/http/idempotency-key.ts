import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { messageOf, requestIn } from '#common';
import { invalidIdempotencyKey } from '../publish.errors.js';

/** The `Idempotency-Key` of a request, if it has one, as a parameter of a controller's method. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const key = messageOf(requestIn(context)).headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidIdempotencyKey();
  return key;
});
