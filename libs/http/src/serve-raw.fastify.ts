import type { IncomingMessage } from 'node:http';
import { corsHeaders, preflightHeaders } from './cors.js';
import { pathOf } from './request-target.js';
import { hasBody, keepBody } from './raw-body.js';
import { clientAddress } from './client-address.js';
import { type BodyRead, readBody } from './read-body.js';
import { ownPaths, type RawRoutes } from './raw-routes.js';

/** The parts of Fastify in use, so that its types need not be installed. */
export interface FastifyApp {
  addHook(name: 'onRoute', hook: (route: Route) => void): unknown;
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    parser: (
      request: FastifyRequest,
      payload: IncomingMessage,
      done: (error: Error | null, body?: unknown) => void,
    ) => void,
  ): unknown;
}

interface FastifyRequest {
  readonly ip?: string;
  readonly raw: IncomingMessage & { [swap]?: Swap };
}

interface Reply {
  code(status: number): Reply;
  header(name: string, value: string): Reply;
  removeHeader(name: string): Reply;
  send(body?: string): Reply;
  readonly raw: { removeHeader(name: string): void };
}

type Hook = (request: FastifyRequest, reply: Reply, done: (error?: Error) => void) => unknown;
type SendHook = (request: FastifyRequest, reply: Reply, payload: unknown, done: () => void) => unknown;

interface Route {
  url: string;
  onRequest?: Hook | Hook[];
  preParsing?: unknown;
  onSend?: SendHook | SendHook[];
  errorHandler?: (error: unknown, request: FastifyRequest, reply: Reply) => void;
}

/** The state of a request before its content type was swapped. */
interface Swap {
  readonly contentType: string | undefined;
  readonly routes: RawRoutes;
  readonly reply: Reply;
}

const swap = Symbol('rookery.swap');

/** Directs a body past the host's parsers to ours, between two hooks. No client can send it. */
const privateType = 'application/x-rookery-raw';

/** Nest's neutral spelling of a route's tail, `*name`, differs from Fastify's. */
const namedTail = /\*\w+$/;

const appended = <T>(hooks: T | T[] | undefined, hook: T): T[] => [hooks ?? [], hook].flat() as T[];

/** Changes only the routes under the prefix, as Fastify registers them. */
export function onFastify(app: FastifyApp, routes: RawRoutes): void {
  if (!app.hasContentTypeParser(privateType)) app.addContentTypeParser(privateType, parseRaw);
  const isUnder = ownPaths(routes);
  // The same functions for all routes.
  const swapping = swapContentType(routes);
  const errorHandler: Route['errorHandler'] = (error, _, reply) => refuse(reply, routes, error);
  const checking = routes.checkPath && checked(routes.checkPath);
  app.addHook('onRoute', (route) => {
    if (!isUnder(route.url)) return;
    route.url = route.url.replace(namedTail, '*');
    route.preParsing = appended(route.preParsing as SendHook, swapping);
    route.errorHandler = errorHandler;
    if (routes.cors) {
      route.onRequest = appended(route.onRequest, answerPreflight);
      route.onSend = appended(route.onSend, allowAnyOrigin);
    }
    if (checking) route.onRequest = appended(route.onRequest, checking);
  });
}

function refuse(reply: Reply, routes: RawRoutes, error: unknown): void {
  const { status, contentType, body, headers = {} } = routes.refuse(error);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  reply.code(status).header('content-type', contentType).send(body);
}

const swapContentType =
  (routes: RawRoutes): SendHook =>
  ({ raw }, reply, _, done) => {
    const contentType = raw.headers['content-type'];
    keepBody(raw, Buffer.alloc(0));
    if (hasBody(raw) || contentType !== undefined) {
      raw[swap] = { contentType, routes, reply };
      raw.headers['content-type'] = privateType;
    }
    done();
  };

function parseRaw(request: FastifyRequest, _: unknown, done: (error: Error | null, body?: unknown) => void): void {
  const { raw } = request;
  const swapped = raw[swap];
  if (!swapped) return done(Object.assign(new Error('Unsupported Media Type'), { statusCode: 415 }));
  if (swapped.contentType === undefined) delete raw.headers['content-type'];
  else raw.headers['content-type'] = swapped.contentType;
  const read: BodyRead = (body, unread) => {
    keepBody(raw, body);
    if (unread) swapped.reply.header('connection', 'close');
    done(null, body instanceof Error ? undefined : body);
  };
  const { bodyLimit: limit, checkHead } = swapped.routes;
  const { method = '', url = '' } = raw;
  const head = checkHead && (() => checkHead(method, url));
  readBody(raw, { limit, inputAddress: clientAddress(request), checkHead: head }, read);
}

const checked =
  (checkPath: NonNullable<RawRoutes['checkPath']>): Hook =>
  ({ raw }, _, done) => {
    try {
      checkPath(raw.method ?? '', pathOf(raw.url ?? ''));
      done();
    } catch (error) {
      done(error as Error);
    }
  };

const answerPreflight: Hook = ({ raw }, reply, done) => {
  if (raw.method === 'OPTIONS') reply.code(204).send();
  else done();
};

/** Runs last, so that it also overrides a host's own CORS. */
const allowAnyOrigin: SendHook = ({ raw }, reply, _, done) => {
  for (const [name, value] of Object.entries(raw.method === 'OPTIONS' ? preflightHeaders : corsHeaders)) {
    reply.raw.removeHeader(name);
    if (value === false) reply.removeHeader(name);
    else reply.header(name, value);
  }
  done();
};
