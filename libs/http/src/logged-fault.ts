import type { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

/** Logs an unexpected error. The caller can quote the `X-Request-Id` of the answer, which is in the log. */
export function loggedFault(logger: Logger, error: unknown): { readonly 'x-request-id': string } {
  const id = randomUUID();
  logger.error(`Request ${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return { 'x-request-id': id };
}
