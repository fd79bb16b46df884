import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
// The package's index loads what takes uploads too.
import { FastifyAdapter } from '@nestjs/platform-fastify/adapters/fastify-adapter.js';
import { AppModule } from './app.module.js';
import { refuseClient } from './client-error.js';
import type { ServerConfig } from './config/config.js';
import { refuseMalformedPath } from './malformed-path.js';
import { noSchemas } from './no-schemas.js';

/** How long a client may take to send a request: Fastify itself sets no bound. */
const requestTimeoutMs = 30_000;

/** Composes the server; it does not listen yet. */
export function createServer(config: ServerConfig): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    requestTimeout: requestTimeoutMs,
    frameworkErrors: refuseMalformedPath,
    clientErrorHandler: refuseClient,
    schemaController: noSchemas,
  });
  return NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config), adapter, {
    logger: new ConsoleLogger({ json: true }),
    abortOnError: false,
  });
}
