import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RookeryController } from 'rookery/internal/http';
import { ConsoleAccess } from './console-access.js';
import { type ConsoleRequest, isReading, requestOf } from './console-request.js';
import { forbidden } from '../console.errors.js';

/** All content comes from this server, and scripts run only from files. */
const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Sets the headers of every answer, refusals included. */
@Injectable()
export class ConsoleHeaders {
  constructor(private readonly host: HttpAdapterHost) {}

  set(context: ExecutionContext, headers: Readonly<Record<string, string>>): void {
    const response: unknown = context.switchToHttp().getResponse();
    for (const [name, value] of Object.entries({ ...securityHeaders, ...headers }))
      this.host.httpAdapter.setHeader(response, name, value);
  }
}

const unstored = { 'cache-control': 'no-store' } as const;

/** Guards the whole API except the session endpoints. */
@Injectable()
export class ConsoleGuard implements CanActivate {
  constructor(
    private readonly headers: ConsoleHeaders,
    private readonly access: ConsoleAccess,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    this.headers.set(context, unstored);
    checkOrigin(requestOf(context));
    await this.access.check(context);
    return true;
  }
}

/** A controller of the API, for signed-in viewers; its paths are below `/console/api`. */
export const ConsoleController = (...paths: readonly string[]): ClassDecorator =>
  applyDecorators(UseGuards(ConsoleGuard), RookeryController(...paths.map((path) => `console/api/${path}`)));

/** Guards the session endpoints, which are open to clients without a session. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly headers: ConsoleHeaders) {}

  canActivate(context: ExecutionContext): boolean {
    this.headers.set(context, unstored);
    checkOrigin(requestOf(context));
    return true;
  }
}

/** Guards the pages, which show nothing before sign-in. */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly headers: ConsoleHeaders,
    private readonly access: ConsoleAccess,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    this.headers.set(context, {});
    await this.access.checkVisitor(context);
    return true;
  }
}

/** @throws ConsoleError 403 for a request from a page of another origin */
function checkOrigin(request: ConsoleRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
  if (origin !== undefined && !isReading(request) && hostIn(origin) !== hostAsked(request)) throw foreign();
}

const hostAsked = ({ host, headers }: ConsoleRequest): string => (host ?? headers.host ?? '').toLowerCase();

const hostIn = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

const foreign = () => forbidden('The request comes from a page of another origin.');
