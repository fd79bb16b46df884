import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

const body = Symbol('rookery.body');

type WithBody = IncomingMessage & { [body]?: Buffer | Error };

/** A request as the host's platform hands it to Nest: Fastify wraps Node's, Express extends it. */
export type PlatformRequest = IncomingMessage | { readonly raw: IncomingMessage };

/** The body is larger than the limit its routes were given. Each API answers it in its own way. */
export class BodyTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`Request body size is too large (max ${limit / 1024}KiB).`);
  }
}

/** Node's request under the platform's. */
export const messageOf = (request: PlatformRequest): IncomingMessage => ('raw' in request ? request.raw : request);

/** Keeps what was read of a request's body for {@link rawBodyOf}. */
export function keepBody(message: IncomingMessage, read: Buffer | Error): void {
  (message as WithBody)[body] = read;
}

/** The exact bytes of the body, empty when there is none. Throws {@link BodyTooLarge}, or what stopped the reading. */
export function rawBodyOf(request: PlatformRequest): Buffer {
  const kept = (messageOf(request) as WithBody)[body];
  if (kept instanceof Error) throw kept;
  if (kept === undefined) throw new Error('rawBodyOf(request) needs its route inside a serveRaw(…) prefix');
  return kept;
}

/** The exact bytes of the request body, as a parameter of a controller's method. See {@link rawBodyOf}. */
export const RawBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  rawBodyOf(context.switchToHttp().getRequest<PlatformRequest>()),
);
