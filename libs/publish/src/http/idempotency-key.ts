import { messageOf, type PlatformRequest } from 'rookery/common';
import { invalidIdempotencyKey } from './errors.js';

/** The `Idempotency-Key` of a request, if it has one. */
export function idempotencyKeyOf(request: PlatformRequest): string | undefined {
  const key = messageOf(request).headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidIdempotencyKey();
  return key;
}
