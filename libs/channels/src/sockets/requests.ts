import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Asks `serve` before the host's platform: `serve` takes the request, or answers false to leave it to the host. The
 * host's prefix, body parsers and hooks therefore do not apply, just as they do not apply to WebSockets.
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
