import { Readable } from 'node:stream';
import type { Route } from './rookery-controller.js';

type Handle = (request: object, response: object, next?: unknown) => Promise<unknown>;

/** A route with the function that answers its requests. */
export interface HandledRoute extends Pick<Route, 'verb' | 'path'> {
  readonly handle: Handle;
}

/** The parts of Fastify in use, so that its types need not be installed. */
export interface FastifyRouter {
  readonly supportedMethods: readonly string[];
  readonly initialConfig: { readonly exposeHeadRoutes?: boolean };
  route(options: {
    url: string;
    method: string[];
    handler: (request: RoutedRequest, reply: Reply) => unknown;
    onSend?: SendHook[];
  }): unknown;
}

interface RoutedRequest {
  readonly raw: { readonly method?: string };
  readonly params: Readonly<Record<string, string>>;
}

interface Reply {
  header(name: string, value: string): Reply;
  callNotFound(): unknown;
}

type SendHook = (
  request: RoutedRequest,
  reply: Reply,
  payload: unknown,
  done: (error: null, payload?: unknown) => void,
) => void;

/**
 * Registers all methods of a path as one route, with HEAD beside GET. For each route, Fastify keeps some thirty objects
 * and makes many more: they were a quarter of what all modules add to the start of a host.
 */
export function routesOnFastify(app: FastifyRouter, routes: readonly HandledRoute[]): void {
  for (const [url, handles] of byPath(routes)) {
    if (handles.has('GET') && app.initialConfig.exposeHeadRoutes !== false) handles.set('HEAD', handles.get('GET')!);
    const all = handles.get('ALL');
    app.route({
      url,
      method: [...(all ? app.supportedMethods : handles.keys())],
      handler: (request, reply) => {
        if (hasEmptyParameter(request)) return reply.callNotFound();
        const handle = handles.get(request.raw.method ?? '') ?? all;
        return handle!(request, reply); // Fastify calls it for these methods only.
      },
      ...(handles.has('HEAD') && { onSend: withoutBody }),
    });
  }
}

function byPath(routes: readonly HandledRoute[]): Map<string, Map<string, Handle>> {
  const paths = new Map<string, Map<string, Handle>>();
  for (const { path, verb, handle } of routes) {
    const handles = paths.get(path) ?? new Map<string, Handle>();
    paths.set(path, handles.set(verb.toUpperCase(), handle));
  }
  return paths;
}

/** As Nest's adapter does: Fastify lets a parameter match nothing. */
function hasEmptyParameter({ params }: RoutedRequest): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}

/** HEAD is answered with the headers of GET, as by the routes that Fastify itself would add. */
const withoutBody: SendHook[] = [
  ({ raw }, reply, payload, done) => {
    if (raw.method !== 'HEAD') return done(null, payload);
    if (payload instanceof Readable) payload.destroy();
    else reply.header('content-length', String(Buffer.byteLength((payload ?? '') as string | Buffer)));
    done(null, null);
  },
];
