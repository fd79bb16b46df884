import { idempotencyKeyOr } from '#http';
import { badRequest } from '../channels.errors.js';

export const IdempotencyKey = idempotencyKeyOr(() =>
  badRequest('Idempotency-Key must have 1 to 255 printable ASCII characters'),
);
