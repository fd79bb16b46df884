import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders, preflightHeaders } from './cors.js';
import { pathOf } from './request-target.js';
import { keepBody } from './raw-body.js';
import { clientAddress } from './client-address.js';
import { type BodyRead, readBody } from './read-body.js';
import { ownPaths, type RawRoutes } from './raw-routes.js';

type Next = (error?: unknown) => void;
type ExpressRequest = IncomingMessage & { readonly ip?: string; rawBody?: Buffer; body?: unknown };
type Layer = (request: ExpressRequest, response: ServerResponse, next: Next) => void;
type ErrorLayer = (error: unknown, request: ExpressRequest, response: ServerResponse, next: Next) => void;

/** The parts of Express in use, so that its types need not be installed. */
export interface ExpressApp {
  use(layer: Layer | ErrorLayer): unknown;
  readonly router?: { readonly stack?: unknown[] };
}

/** Adds a layer before the host's parsers that reads only the bodies under the prefix. */
export function onExpress(app: ExpressApp, routes: RawRoutes): void {
  const isUnder = ownPaths(routes);
  useFirst(app, (request, response, next) => {
    if (!isUnder(request.url ?? '')) return next();
    if (routes.cors && allowAnyOrigin(request, response)) return;
    // An error goes to the layer below, which refuses the request.
    routes.checkPath?.(request.method ?? '', pathOf(request.url ?? ''));
    readRaw(request, response, routes, next);
  });
  const refusing: ErrorLayer = (error, request, response, next) => {
    if (!isUnder(request.url ?? '') || response.headersSent) return next(error);
    refuse(response, routes, error);
  };
  app.use(refusing);
}

/** Nest adds its parsers before it configures any module, so ours is moved to the front. */
function useFirst(app: ExpressApp, layer: Layer): void {
  app.use(layer);
  const stack = app.router?.stack;
  const own = stack?.pop();
  if (own) stack?.unshift(own);
}

function readRaw(request: ExpressRequest, response: ServerResponse, routes: RawRoutes, next: Next): void {
  if (request.readableEnded) {
    keepBody(request, request.rawBody ?? new AlreadyRead());
    return next();
  }
  const read: BodyRead = (body, unread) => {
    // A parser of the host would wait for the unread rest.
    if (unread) return refuse(response.setHeader('connection', 'close'), routes, body);
    keepBody(request, body);
    request.body = body instanceof Error ? undefined : body;
    next();
  };
  const { bodyLimit: limit, checkHead } = routes;
  const { method = '', url = '' } = request;
  const head = checkHead && (() => checkHead(method, url));
  readBody(request, { limit, inputAddress: clientAddress(request), checkHead: head }, read);
}

class AlreadyRead extends Error {
  constructor() {
    super(
      'Something in the host read the request body before Rookery could. ' +
        'Create the application with NestFactory.create(AppModule, { rawBody: true })',
    );
  }
}

function allowAnyOrigin({ method }: ExpressRequest, response: ServerResponse): boolean {
  const isPreflight = method === 'OPTIONS';
  const headers = Object.entries(isPreflight ? preflightHeaders : corsHeaders);
  // Runs last, so that it also overrides a host's own CORS.
  beforeHead(response, () => {
    for (const [name, value] of headers)
      if (value === false) response.removeHeader(name);
      else response.setHeader(name, value);
  });
  if (isPreflight) response.writeHead(204).end();
  return isPreflight;
}

function beforeHead(response: ServerResponse, work: () => void): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...args: unknown[]) => {
    work();
    // The arguments are passed on unchanged.
    return writeHead(...(args as Parameters<typeof writeHead>));
  };
}

function refuse(response: ServerResponse, routes: RawRoutes, error: unknown): void {
  const { status, contentType, body, headers = {} } = routes.refuse(error);
  response.writeHead(status, { ...headers, 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
