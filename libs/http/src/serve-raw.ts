import type { HttpAdapterHost } from '@nestjs/core';
import { onExpress, type ExpressApp } from './serve-raw.express.js';
import { onFastify, type FastifyApp } from './serve-raw.fastify.js';
import type { RawRoutes } from './raw-routes.js';

/**
 * Call it from `NestModule.configure()`, before the host's routes are built. Routes under the prefix then get the exact
 * bytes of any body, whatever its content type, through `rawBodyOf(request)` or `@RawBody()`. The host's parsers for
 * its own routes stay as they are.
 */
export function serveRaw({ httpAdapter }: HttpAdapterHost, routes: RawRoutes): void {
  // A worker-only process has no HTTP server.
  if (!httpAdapter) return;
  const platform = httpAdapter.getType();
  if (platform === 'fastify') return onFastify(httpAdapter.getInstance<FastifyApp>(), routes);
  if (platform === 'express') return onExpress(httpAdapter.getInstance<ExpressApp>(), routes);
  throw new Error(`Rookery serves HTTP on Fastify and Express, not on '${platform}'`);
}
