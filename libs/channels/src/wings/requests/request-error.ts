import { HttpException } from '@nestjs/common';
import { clientErrorStatus } from '#http';
import { isObject, Unavailable } from '#common';

/** Why a request has no reply, as the client gets it. */
export interface RequestError {
  /** As of HTTP: 400 to 599. */
  readonly status: number;
  readonly message: string;
  /** Whether the request was carried out is not known. */
  readonly unknown?: true;
}

/** How a request is settled: with the JSON of its reply, or with an error. */
export type Settled = { readonly json: string } | RequestError;

/** An endpoint gave no reply. */
export class EndpointFailed extends Error {
  /** @param status what the client gets: 502 or 504 */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Of a request that was asked before, on a connection that was lost. */
export const unknownOutcome: RequestError = {
  status: 504,
  message: 'The connection was lost before the reply',
  unknown: true,
};

/** The error that a client may see; undefined for an unexpected one. */
export function requestErrorOf(thrown: unknown): RequestError | undefined {
  if (thrown instanceof Unavailable) return { status: 503, message: 'Service unavailable' };
  if (isWsException(thrown)) return { status: 400, message: thrown.message };
  const status = clientErrorStatus(thrown);
  if (status === undefined) return undefined;
  return { status, message: thrown instanceof HttpException ? messageOf(thrown) : (thrown as Error).message };
}

/** A host may have the `WsException` of @nestjs/websockets; Rookery does without that package. */
const isWsException = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'getError' in thrown && typeof thrown.getError === 'function';

/** ValidationPipe has a list of faults in the response, and no fault in the message. */
function messageOf(exception: HttpException): string {
  const response = exception.getResponse();
  const said = isObject(response) ? response['message'] : undefined;
  return Array.isArray(said) ? said.join('; ') : exception.message;
}
