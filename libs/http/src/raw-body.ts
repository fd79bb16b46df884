import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';

const body = Symbol('rookery.body');

type WithBody = IncomingMessage & { [body]?: Buffer | Error };

/** A request as the host's platform passes it to Nest: Fastify wraps Node's, Express extends it. */
export type PlatformRequest = IncomingMessage | { readonly raw: IncomingMessage };

/** The body exceeds the limit of its routes. Each API answers it in its own way. */
export class BodyTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`Request body size is too large (max ${limit / 1024}KiB).`);
  }
}

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** The request whose handler, guard or parameter is being run. */
export const requestIn = (context: ExecutionContext): PlatformRequest =>
  context.switchToHttp().getRequest<PlatformRequest>();

/** Node's request under the platform's. */
export const messageOf = (request: PlatformRequest): IncomingMessage => ('raw' in request ? request.raw : request);

/** Keeps the body that was read for {@link rawBodyOf}. */
export function keepBody(message: IncomingMessage, read: Buffer | Error): void {
  (message as WithBody)[body] = read;
}

/**
 * The exact bytes of the body, or an empty buffer. On a host's own routes they are the bytes that Nest keeps. Throws
 * {@link BodyTooLarge}, or the error that ended the reading.
 */
export function rawBodyOf(request: PlatformRequest): Buffer {
  const kept = (messageOf(request) as WithBody)[body];
  if (kept instanceof Error) throw kept;
  return kept ?? keptByHost(request);
}

function keptByHost(request: PlatformRequest & { readonly rawBody?: unknown }): Buffer {
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody;
  if (!hasBody(messageOf(request))) return Buffer.alloc(0);
  throw new Error(
    'This route needs the exact bytes of the body: write NestFactory.create(AppModule, { rawBody: true })',
  );
}

/** The exact bytes of the request body, as a parameter of a controller's method. See {@link rawBodyOf}. */
export const RawBody = createParamDecorator((_: unknown, context: ExecutionContext) => rawBodyOf(requestIn(context)));
