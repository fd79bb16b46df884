import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { refuseClient } from './client-error.js';
import type { ServerConfig } from './config/config.js';
import { refuseMalformedPath } from './malformed-path.js';

/** How long a client may take to send a request: Fastify itself sets no bound. */
const requestTimeoutMs = 30_000;

/** Composes the server; it does not listen yet. */
export function createServer(config: ServerConfig): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    requestTimeout: requestTimeoutMs,
    frameworkErrors: refuseMalformedPath,
    clientErrorHandler: refuseClient,
  });
  return NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config), adapter, {
    logger: new ConsoleLogger({ json: true }),
    abortOnError: false,
  });
}
