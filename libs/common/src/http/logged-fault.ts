import type { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

/** Logs what made a request fail that was right; whoever made it can name it by the `X-Request-Id` of the answer. */
export function loggedFault(logger: Logger, error: unknown): { readonly 'x-request-id': string } {
  const id = randomUUID();
  logger.error(`Request ${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return { 'x-request-id': id };
}
