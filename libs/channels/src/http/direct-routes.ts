import type { ExceptionFilter } from '@nestjs/common';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { readRawBody } from 'rookery/common';
import type { Reply, RouteHandler } from './compiled-route.js';
import { textRefusal } from './refusal.js';

const rememberedPaths = 10_000;

/**
 * Answers POSTs before the platform's router sees them, on paths that the router has led to one of our routes before:
 * what a path means is never guessed. No hook and no middleware of the host runs for them.
 */
export class DirectRoutes {
  private readonly routes = new Map<string, RouteHandler>();

  constructor(private readonly bodyLimit: number) {}

  /** Takes a server's requests; those that it does not know go on to whoever listened before. */
  install(server: Server): void {
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      if (this.serve(request, response, server)) return;
      for (const listener of listeners) listener.call(server, request, response);
    });
  }

  /** Remembers what the router made of a request that was answered with success. */
  learn({ method, url = '' }: IncomingMessage, route: RouteHandler): void {
    if (method === 'POST' && this.routes.size < rememberedPaths) this.routes.set(pathOf(url), route);
  }

  private serve(request: IncomingMessage, response: ServerResponse, server: Server): boolean {
    const route = request.method === 'POST' ? this.routes.get(pathOf(request.url ?? '')) : undefined;
    if (!route) return false;
    readRawBody(request, this.bodyLimit, (isUnread) => {
      // Nobody reads the rest of the body; and a server that stops listening wants no further request.
      if (isUnread || !server.listening) response.setHeader('connection', 'close');
      route(request, response, undefined);
    });
    return true;
  }
}

/** Answers on Node's response as the platforms do. */
export const replyDirectly: Reply = (context, body, status) =>
  write(context.getResponse(), status, 'application/json; charset=utf-8', JSON.stringify(body));

/** {@link TextRefusalFilter} on Node's response. */
export const refuseDirectly: ExceptionFilter = {
  catch(error, context) {
    const { status, contentType, body } = textRefusal(error);
    write(context.switchToHttp().getResponse(), status, contentType, body);
  },
};

function write(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
