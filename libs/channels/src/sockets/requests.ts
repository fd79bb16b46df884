import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Asks `serve` before the host's platform: it takes the request, or answers false to leave it to the host. So no prefix,
 * body parser or hook of the host stands before it, as none does before a WebSocket.
 */
export function interceptRequests(
  server: Server,
  serve: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
  server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'request') return emit(event, ...args);
    const [request, response] = args as [IncomingMessage, ServerResponse];
    return serve(request, response) || emit(event, request, response);
  };
}
