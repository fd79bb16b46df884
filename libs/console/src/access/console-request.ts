import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { messageOf, type PlatformRequest } from 'rookery/common';

/** What is read of a request; Fastify and Express name it alike, and know of the proxies that the host trusts. */
export interface ConsoleRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly ip?: string;
  readonly protocol?: string;
  readonly host?: string;
}

export const requestOf = (context: ExecutionContext): ConsoleRequest & PlatformRequest =>
  context.switchToHttp().getRequest<ConsoleRequest & PlatformRequest>();

/** The request and its answer, as a parameter of a controller's method. Fastify's answer itself cannot be one: it is awaited. */
export const Context = createParamDecorator((_: unknown, context: ExecutionContext) => context);

/** Whether a request changes nothing. */
export const isReading = ({ method }: ConsoleRequest): boolean => method === 'GET' || method === 'HEAD';

/** The address of the connection itself, whatever proxies say. */
export const peerOf = (request: PlatformRequest): string => messageOf(request).socket.remoteAddress ?? '';

const cookieName = 'rookery_console';

/** The value of the console's cookie. */
export function cookieOf({ headers }: ConsoleRequest): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [name, value] = pair.split('=', 2);
    if (name?.trim() === cookieName && value !== undefined) return value.trim();
  }
  return undefined;
}

/** The `Set-Cookie` that keeps a value, or with 0 seconds takes it away. */
export const setCookie = (request: ConsoleRequest, value: string, seconds: number): string =>
  `${cookieName}=${value}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=${seconds}` +
  (request.protocol === 'https' ? '; Secure' : '');
