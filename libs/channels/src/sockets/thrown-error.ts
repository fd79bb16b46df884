import { HttpException } from '@nestjs/common';
import { ProtocolError } from '../protocol/protocol-error.js';
import { ForbiddenBySocketGuard } from './socket-enhancers.js';

/**
 * The error that the client gets when handling its message threw: the protocol's own error, or one built from what a
 * guard, pipe or interceptor of the host threw. `undefined` for an unexpected error.
 */
export function refusalOf(thrown: unknown): ProtocolError | undefined {
  if (thrown instanceof ProtocolError) return thrown;
  if (thrown instanceof ForbiddenBySocketGuard) return ProtocolError.refused(thrown.message, null, 403);
  if (thrown instanceof HttpException) return ProtocolError.refused(thrown.message, null, thrown.getStatus());
  if (isWsException(thrown)) return ProtocolError.refused(thrown.message, codeOf(thrown.getError()), 403);
  return undefined;
}

/** A host may have the `WsException` of @nestjs/websockets; Rookery does without that package. */
interface WsException extends Error {
  getError(): string | object;
}

const isWsException = (thrown: unknown): thrown is WsException =>
  thrown instanceof Error && 'getError' in thrown && typeof thrown.getError === 'function';

/** An unexpected error on our side; the log has the details. */
export const internalError = (): ProtocolError => ProtocolError.refused('Internal server error', null, 500);

function codeOf(error: string | object): number | null {
  const code = typeof error === 'object' && 'code' in error ? error.code : null;
  return typeof code === 'number' ? code : null;
}
