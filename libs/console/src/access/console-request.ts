import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { messageOf, type PlatformRequest } from 'rookery/internal/http';

/** The properties read from a request; Fastify and Express name them alike, and apply the host's trusted proxies. */
export interface ConsoleRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly ip?: string;
  readonly protocol?: string;
  readonly host?: string;
}

export const requestOf = (context: ExecutionContext): ConsoleRequest & PlatformRequest =>
  context.switchToHttp().getRequest<ConsoleRequest & PlatformRequest>();

/** The request and its answer, as a controller parameter. Fastify's reply itself cannot be one: it is thenable. */
export const Context = createParamDecorator((_: unknown, context: ExecutionContext) => context);

/** Whether the request's method changes nothing. */
export const isReading = ({ method }: ConsoleRequest): boolean => method === 'GET' || method === 'HEAD';

/** The address of the connection itself, ignoring proxy headers. */
export const peerOf = (request: PlatformRequest): string => messageOf(request).socket.remoteAddress ?? '';

const cookieName = 'rookery_console';
const cookie = new RegExp(`(?:^|;)\\s*${cookieName}\\s*=([^;=]*)`);

/** The value of the console's cookie. */
export function cookieOf({ headers }: ConsoleRequest): string | undefined {
  return cookie.exec(headers.cookie ?? '')?.[1]?.trim();
}

/** The `Set-Cookie` that sets a value; 0 seconds deletes it. */
export const setCookie = (request: ConsoleRequest, value: string, seconds: number): string =>
  `${cookieName}=${value}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=${seconds}` +
  (request.protocol === 'https' ? '; Secure' : '');
